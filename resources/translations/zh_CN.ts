<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>lockstep::ui</name>
        <message>
            <source>About Lockstep</source>
            <translation>关于 Lockstep</translation>
        </message>
        <message>
            <source>Lockstep %1</source>
            <translation>Lockstep %1</translation>
        </message>
        <message>
            <source>Configures, launches, watches and evaluates synchronous data-parallel training.

This program is free software under the GNU General Public License, version 3 or later. It comes without any warranty.</source>
            <translation>配置、启动、监视和评估同步数据并行训练。

本程序是自由软件，依据 GNU 通用公共许可证第 3 版或更高版本发布，不提供任何担保。</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Closing the window ends the job “%1”.</source>
            <translation>关闭此窗口会结束作业“%1”。</translation>
        </message>
        <message>
            <source>Closing the run ends the job “%1”.</source>
            <translation>关闭此运行会结束作业“%1”。</translation>
        </message>
        <message>
            <source>Opening another run ends the job “%1”.</source>
            <translation>打开另一个运行会结束作业“%1”。</translation>
        </message>
        <message>
            <source>End job and open</source>
            <translation>结束作业并打开</translation>
        </message>
        <message>
            <source>End job and close</source>
            <translation>结束作业并关闭</translation>
        </message>
        <message>
            <source>End the running job?</source>
            <translation>结束正在运行的作业？</translation>
        </message>
        <message>
            <source>It is tied to this window: On closing, in its Launch card, is “tied”. “detached” lets it go on.</source>
            <translation>它与此窗口绑定：“启动”卡片中的“关闭时”为“tied”。改为“detached”可让它继续运行。</translation>
        </message>
        <message>
            <source>Keep running</source>
            <translation>继续运行</translation>
        </message>
        <message>
            <source>Close the window?</source>
            <translation>关闭窗口？</translation>
        </message>
        <message>
            <source>“%1” goes on without this window.</source>
            <translation>“%1”在此窗口关闭后继续运行。</translation>
        </message>
        <message>
            <source>When Lockstep is started again, it offers to open it. On a terminal:
%1</source>
            <translation>再次启动 Lockstep 时会提示打开它。也可以在终端中运行：
%1</translation>
        </message>
        <message>
            <source>Close without this question from now on</source>
            <translation>以后关闭时不再询问</translation>
        </message>
        <message>
            <source>Stay</source>
            <translation>不关闭</translation>
        </message>
        <message>
            <source>Save the changes?</source>
            <translation>保存更改？</translation>
        </message>
        <message>
            <source>The job “%1” has changes that are not saved.</source>
            <translation>作业“%1”有未保存的更改。</translation>
        </message>
        <message>
            <source>Discard changes</source>
            <translation>放弃更改</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>保存</translation>
        </message>
        <message>
            <source>left open</source>
            <translation>未指定</translation>
        </message>
        <message>
            <source>a part at a random place, of zeros around it, too</source>
            <translation>在随机位置裁剪，四周可补零</translation>
        </message>
        <message>
            <source>a part of random size and shape, brought to one size</source>
            <translation>随机大小和形状的裁剪，缩放到同一尺寸</translation>
        </message>
        <message>
            <source>mirrored, or not</source>
            <translation>随机镜像翻转</translation>
        </message>
        <message>
            <source>turned by parts of a full turn</source>
            <translation>随机旋转，以整圈的比例计</translation>
        </message>
        <message>
            <source>larger or smaller, by shares of the size</source>
            <translation>随机缩放，以尺寸的比例计</translation>
        </message>
        <message>
            <source>moved, by shares of the size</source>
            <translation>随机平移，以尺寸的比例计</translation>
        </message>
        <message>
            <source>lighter or darker</source>
            <translation>调亮或调暗</translation>
        </message>
        <message>
            <source>more or less contrast</source>
            <translation>增强或减弱对比度</translation>
        </message>
        <message>
            <source>a rectangle is painted over</source>
            <translation>用一个矩形遮盖</translation>
        </message>
        <message>
            <source>mixed with another sample, and so are their classes</source>
            <translation>与另一样本混合，类别也随之混合</translation>
        </message>
        <message>
            <source>a rectangle of another sample, with its share of the class</source>
            <translation>贴入另一样本的一块矩形，类别按比例混合</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Run folder</source>
            <translation>运行文件夹</translation>
        </message>
        <message>
            <source>Epochs as CSV</source>
            <translation>轮次写入 CSV</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>Replicas each</source>
            <translation>每进程副本数</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>Transport</source>
            <translation>传输方式</translation>
        </message>
        <message>
            <source>Heartbeat limit</source>
            <translation>心跳时限</translation>
        </message>
        <message>
            <source>Start limit</source>
            <translation>启动时限</translation>
        </message>
        <message>
            <source>GPUs of a host</source>
            <translation>主机的 GPU</translation>
        </message>
        <message>
            <source>Mesh rows</source>
            <translation>网格行数</translation>
        </message>
        <message>
            <source>Mesh columns</source>
            <translation>网格列数</translation>
        </message>
        <message>
            <source>Layout</source>
            <translation>布局</translation>
        </message>
        <message>
            <source>Method</source>
            <translation>方式</translation>
        </message>
        <message>
            <source>Hosts</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>ssh settings</source>
            <translation>ssh 设置</translation>
        </message>
        <message>
            <source>Lease</source>
            <translation>租约</translation>
        </message>
        <message>
            <source>On closing</source>
            <translation>关闭时</translation>
        </message>
        <message>
            <source>On failure</source>
            <translation>失败时</translation>
        </message>
        <message>
            <source>Restarts</source>
            <translation>重启次数</translation>
        </message>
        <message>
            <source>When stuck</source>
            <translation>卡住时</translation>
        </message>
        <message>
            <source>Grace</source>
            <translation>宽限时间</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Environment</source>
            <translation>环境变量</translation>
        </message>
        <message>
            <source>Works in</source>
            <translation>工作目录</translation>
        </message>
        <message>
            <source>Partition</source>
            <translation>分区</translation>
        </message>
        <message>
            <source>Account</source>
            <translation>账户</translation>
        </message>
        <message>
            <source>Time limit</source>
            <translation>时间限制</translation>
        </message>
        <message>
            <source>Nodes</source>
            <translation>节点数</translation>
        </message>
        <message>
            <source>Stops before it</source>
            <translation>超时前停止</translation>
        </message>
        <message>
            <source>More options</source>
            <translation>更多选项</translation>
        </message>
        <message>
            <source>Data set</source>
            <translation>数据集</translation>
        </message>
        <message>
            <source>Folder</source>
            <translation>文件夹</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>验证样本数</translation>
        </message>
        <message>
            <source>Files</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Target</source>
            <translation>目标列</translation>
        </message>
        <message>
            <source>Target scale</source>
            <translation>目标缩放</translation>
        </message>
        <message>
            <source>Missing cells</source>
            <translation>缺失值</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>分词方式</translation>
        </message>
        <message>
            <source>Sequence</source>
            <translation>序列长度</translation>
        </message>
        <message>
            <source>Inputs</source>
            <translation>输入</translation>
        </message>
        <message>
            <source>Targets</source>
            <translation>目标</translation>
        </message>
        <message>
            <source>Validation inputs</source>
            <translation>验证输入</translation>
        </message>
        <message>
            <source>Validation targets</source>
            <translation>验证目标</translation>
        </message>
        <message>
            <source>Test inputs</source>
            <translation>测试输入</translation>
        </message>
        <message>
            <source>Test targets</source>
            <translation>测试目标</translation>
        </message>
        <message>
            <source>Validation share</source>
            <translation>验证比例</translation>
        </message>
        <message>
            <source>Image size</source>
            <translation>图像尺寸</translation>
        </message>
        <message>
            <source>Colour</source>
            <translation>颜色</translation>
        </message>
        <message>
            <source>Validation folder</source>
            <translation>验证文件夹</translation>
        </message>
        <message>
            <source>Test folder</source>
            <translation>测试文件夹</translation>
        </message>
        <message>
            <source>Broken samples</source>
            <translation>损坏的样本</translation>
        </message>
        <message>
            <source>Random changes</source>
            <translation>随机变换</translation>
        </message>
        <message>
            <source>Subtract mean</source>
            <translation>减去均值</translation>
        </message>
        <message>
            <source>Divide by std</source>
            <translation>除以标准差</translation>
        </message>
        <message>
            <source>Cache</source>
            <translation>缓存</translation>
        </message>
        <message>
            <source>Prefetch</source>
            <translation>预取</translation>
        </message>
        <message>
            <source>Sharding</source>
            <translation>分片</translation>
        </message>
        <message>
            <source>Shuffle</source>
            <translation>打乱</translation>
        </message>
        <message>
            <source>Reshuffle</source>
            <translation>逐轮次打乱</translation>
        </message>
        <message>
            <source>Order's seed</source>
            <translation>顺序随机种子</translation>
        </message>
        <message>
            <source>Drop remainder</source>
            <translation>丢弃尾批</translation>
        </message>
        <message>
            <source>Begin with</source>
            <translation>初始权重</translation>
        </message>
        <message>
            <source>Global batch</source>
            <translation>全局批大小</translation>
        </message>
        <message>
            <source>Epochs</source>
            <translation>轮次数</translation>
        </message>
        <message>
            <source>Or steps</source>
            <translation>或步数</translation>
        </message>
        <message>
            <source>Validate every</source>
            <translation>验证间隔</translation>
        </message>
        <message>
            <source>Batch in parts</source>
            <translation>梯度累积</translation>
        </message>
        <message>
            <source>Average weights</source>
            <translation>权重滑动平均</translation>
        </message>
        <message>
            <source>Average keeps</source>
            <translation>滑动平均系数</translation>
        </message>
        <message>
            <source>Optimizer</source>
            <translation>优化器</translation>
        </message>
        <message>
            <source>Learning rate</source>
            <translation>学习率</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>随机种子</translation>
        </message>
        <message>
            <source>Precision</source>
            <translation>计算精度</translation>
        </message>
        <message>
            <source>Tune</source>
            <translation>调优</translation>
        </message>
        <message>
            <source>Ends at NaN</source>
            <translation>NaN 时结束</translation>
        </message>
        <message>
            <source>Check weights</source>
            <translation>权重核对</translation>
        </message>
        <message>
            <source>Momentum</source>
            <translation>动量</translation>
        </message>
        <message>
            <source>Beta 1</source>
            <translation>Beta 1</translation>
        </message>
        <message>
            <source>Beta 2</source>
            <translation>Beta 2</translation>
        </message>
        <message>
            <source>Epsilon</source>
            <translation>Epsilon</translation>
        </message>
        <message>
            <source>Rho</source>
            <translation>Rho</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>损失函数</translation>
        </message>
        <message>
            <source>Label smoothing</source>
            <translation>标签平滑</translation>
        </message>
        <message>
            <source>Ignored class</source>
            <translation>忽略的类别</translation>
        </message>
        <message>
            <source>Class weights</source>
            <translation>类别权重</translation>
        </message>
        <message>
            <source>Huber's delta</source>
            <translation>Huber δ</translation>
        </message>
        <message>
            <source>Metrics</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Nesterov</source>
            <translation>Nesterov</translation>
        </message>
        <message>
            <source>Weight decay</source>
            <translation>权重衰减</translation>
        </message>
        <message>
            <source>Decays</source>
            <translation>衰减对象</translation>
        </message>
        <message>
            <source>Clip each norm</source>
            <translation>逐张量裁剪</translation>
        </message>
        <message>
            <source>Clip values</source>
            <translation>按值裁剪</translation>
        </message>
        <message>
            <source>Clip the norm</source>
            <translation>全局范数裁剪</translation>
        </message>
        <message>
            <source>Schedule</source>
            <translation>学习率调度</translation>
        </message>
        <message>
            <source>First rate</source>
            <translation>初始学习率</translation>
        </message>
        <message>
            <source>Decay</source>
            <translation>衰减步数</translation>
        </message>
        <message>
            <source>Decay in epochs</source>
            <translation>衰减轮次数</translation>
        </message>
        <message>
            <source>Share left</source>
            <translation>最终比例</translation>
        </message>
        <message>
            <source>Warm-up to</source>
            <translation>预热目标</translation>
        </message>
        <message>
            <source>Warm-up</source>
            <translation>预热步数</translation>
        </message>
        <message>
            <source>Warm-up, epochs</source>
            <translation>预热轮次数</translation>
        </message>
        <message>
            <source>Decay rate</source>
            <translation>衰减率</translation>
        </message>
        <message>
            <source>In stairs</source>
            <translation>阶梯式</translation>
        </message>
        <message>
            <source>Boundaries</source>
            <translation>分界步</translation>
        </message>
        <message>
            <source>Rates</source>
            <translation>各段学习率</translation>
        </message>
        <message>
            <source>Last rate</source>
            <translation>最终学习率</translation>
        </message>
        <message>
            <source>Power</source>
            <translation>幂次</translation>
        </message>
        <message>
            <source>Cycle</source>
            <translation>循环</translation>
        </message>
        <message>
            <source>Factor</source>
            <translation>系数</translation>
        </message>
        <message>
            <source>Plateau of</source>
            <translation>停滞轮次数</translation>
        </message>
        <message>
            <source>Better by</source>
            <translation>最小改进</translation>
        </message>
        <message>
            <source>Then waits</source>
            <translation>冷却轮次数</translation>
        </message>
        <message>
            <source>Least rate</source>
            <translation>最低学习率</translation>
        </message>
        <message>
            <source>Every … steps</source>
            <translation>每 … 步</translation>
        </message>
        <message>
            <source>Every … epochs</source>
            <translation>每 … 轮次</translation>
        </message>
        <message>
            <source>Keep newest</source>
            <translation>保留最新</translation>
        </message>
        <message>
            <source>Keep unscored</source>
            <translation>保留未评分</translation>
        </message>
        <message>
            <source>Keep the best</source>
            <translation>保留最佳</translation>
        </message>
        <message>
            <source>Best by</source>
            <translation>最佳依据</translation>
        </message>
        <message>
            <source>Best is</source>
            <translation>最佳方向</translation>
        </message>
        <message>
            <source>Resume</source>
            <translation>恢复</translation>
        </message>
        <message>
            <source>In shards</source>
            <translation>分片保存</translation>
        </message>
        <message>
            <source>Evaluators</source>
            <translation>评估器数</translation>
        </message>
        <message>
            <source>They score</source>
            <translation>评分策略</translation>
        </message>
        <message>
            <source>They compute on</source>
            <translation>计算设备</translation>
        </message>
        <message>
            <source>Stop early by</source>
            <translation>早停依据</translation>
        </message>
        <message>
            <source>Patience</source>
            <translation>容忍轮次数</translation>
        </message>
        <message>
            <source>Better is</source>
            <translation>更优方向</translation>
        </message>
        <message>
            <source>Restore the best</source>
            <translation>恢复最佳</translation>
        </message>
        <message>
            <source>the column %1</source>
            <translation>列 %1</translation>
        </message>
        <message>
            <source>layer %1</source>
            <translation>第 %1 层</translation>
        </message>
        <message>
            <source>the units of %1</source>
            <translation>%1的单元数</translation>
        </message>
        <message>
            <source>the activation of %1</source>
            <translation>%1的激活函数</translation>
        </message>
        <message>
            <source>random change %1</source>
            <translation>随机变换 %1</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%2 的 %1</translation>
        </message>
        <message>
            <source>the address of process %1</source>
            <translation>进程 %1 的地址</translation>
        </message>
        <message>
            <source>the host of process %1</source>
            <translation>进程 %1 的主机</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Top-%1 accuracy</source>
            <translation>Top-%1 准确率</translation>
        </message>
        <message>
            <source>Binary accuracy</source>
            <translation>二分类准确率</translation>
        </message>
        <message>
            <source>AUC</source>
            <translation>AUC</translation>
        </message>
        <message>
            <source>Recall</source>
            <translation>召回率</translation>
        </message>
        <message>
            <source>Mean absolute error</source>
            <translation>平均绝对误差</translation>
        </message>
        <message>
            <source>Root mean squared error</source>
            <translation>均方根误差</translation>
        </message>
        <message>
            <source>Perplexity</source>
            <translation>困惑度</translation>
        </message>
        <message>
            <source>Gradient norm</source>
            <translation>梯度范数</translation>
        </message>
        <message>
            <source>training</source>
            <translation>训练</translation>
        </message>
        <message>
            <source>validation</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>test</source>
            <translation>测试</translation>
        </message>
        <message>
            <source>MAE</source>
            <translation>MAE</translation>
        </message>
        <message>
            <source>RMSE</source>
            <translation>RMSE</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>The run</source>
            <translation>本次运行</translation>
        </message>
        <message>
            <source>%1 has failed</source>
            <translation>%1：运行失败</translation>
        </message>
        <message>
            <source>%1 is completed</source>
            <translation>%1：已完成</translation>
        </message>
        <message>
            <source>%1 has stopped</source>
            <translation>%1：已停止</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Checkpoint every</source>
            <translation>检查点间隔</translation>
        </message>
        <message>
            <source>Layers</source>
            <translation>层</translation>
        </message>
        <message>
            <source> in %1</source>
            <translation>，用时 %1</translation>
        </message>
        <message>
            <source>test %1, </source>
            <translation>%1（测试），</translation>
        </message>
        <message>
            <source>%1 %2, </source>
            <translation>%2（%1），</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>agent %1</source>
            <translation>代理 %1</translation>
        </message>
        <message>
            <source>%1 · replica %2</source>
            <translation>%1 · 副本 %2</translation>
        </message>
        <message>
            <source>evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>evaluator %1</source>
            <translation>评估器 %1</translation>
        </message>
        <message>
            <source>agent</source>
            <translation>代理</translation>
        </message>
        <message>
            <source>process %1</source>
            <translation>进程 %1</translation>
        </message>
        <message>
            <source>chief</source>
            <translation>主进程</translation>
        </message>
        <message>
            <source>worker</source>
            <translation>工作进程</translation>
        </message>
        <message>
            <source>data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>forward</source>
            <translation>前向</translation>
        </message>
        <message>
            <source>backward</source>
            <translation>反向</translation>
        </message>
        <message>
            <source>all-reduce</source>
            <translation>all-reduce</translation>
        </message>
        <message>
            <source>update</source>
            <translation>更新</translation>
        </message>
        <message>
            <source>starting</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>evaluate</source>
            <translation>评估</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>等待</translation>
        </message>
        <message>
            <source>done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>program</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>Launching</source>
            <translation>启动中</translation>
        </message>
        <message>
            <source>Training</source>
            <translation>训练中</translation>
        </message>
        <message>
            <source>Validating</source>
            <translation>验证中</translation>
        </message>
        <message>
            <source>Testing</source>
            <translation>测试中</translation>
        </message>
        <message>
            <source>Stopping</source>
            <translation>停止中</translation>
        </message>
        <message>
            <source>Restarting</source>
            <translation>重启中</translation>
        </message>
        <message>
            <source>Completed</source>
            <translation>已完成</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>Completed: %1%2 steps%3</source>
            <translation>已完成：%1%2 步%3</translation>
        </message>
        <message>
            <source>Stopped after step %1%2</source>
            <translation>在第 %1 步后停止%2</translation>
        </message>
        <message>
            <source>Stopped after step %1 of %2%3</source>
            <translation>在第 %1 步（共 %2 步）后停止%3</translation>
        </message>
        <message>
            <source>Failed after step %1: %2</source>
            <translation>在第 %1 步后失败：%2</translation>
        </message>
        <message>
            <source>%1 of %2 replicas alive</source>
            <translation>%1/%2 个副本存活</translation>
        </message>
        <message>
            <source>none yet</source>
            <translation>尚无</translation>
        </message>
        <message>
            <source>%1 ago</source>
            <translation>%1 前</translation>
        </message>
        <message>
            <source>no step yet</source>
            <translation>尚无任何步</translation>
        </message>
        <message>
            <source>%1 %2 %</source>
            <translation>%1 %2 %</translation>
        </message>
        <message>
            <source>1 layer</source>
            <translation>1 层</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 层</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 个参数</translation>
        </message>
        <message>
            <source>Opening</source>
            <translation>正在打开</translation>
        </message>
        <message>
            <source>The run is being opened</source>
            <translation>正在打开运行</translation>
        </message>
        <message>
            <source>The run is being started</source>
            <translation>正在启动运行</translation>
        </message>
        <message>
            <source>Kill now</source>
            <translation>立即终止</translation>
        </message>
        <message>
            <source>Stopping after the step in flight. Press again to end the processes now; steps since the last checkpoint are lost</source>
            <translation>将在当前步完成后停止。再按一次会立即结束进程；最新检查点之后的步将丢失</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>End after the step in flight, with a checkpoint (%1)</source>
            <translation>完成当前步后结束，并保存检查点（%1）</translation>
        </message>
        <message>
            <source>Go on from the newest checkpoint of this run (%1)</source>
            <translation>从此运行的最新检查点继续（%1）</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Open a job first</source>
            <translation>请先打开一个作业</translation>
        </message>
        <message>
            <source>Correct the problems on the Job page first</source>
            <translation>请先修正“作业”页面上的问题</translation>
        </message>
        <message>
            <source>Launch anew</source>
            <translation>再次启动</translation>
        </message>
        <message>
            <source>Start this job as a new run, in a folder of its own (%1)</source>
            <translation>将此作业作为新的运行启动，使用单独的文件夹（%1）</translation>
        </message>
        <message>
            <source>Start this job (%1)</source>
            <translation>启动此作业（%1）</translation>
        </message>
        <message>
            <source>▲ points above this axis: %1</source>
            <translation>▲ 超出此轴的点：%1</translation>
        </message>
        <message>
            <source>▲ points above this axis: %1 or more</source>
            <translation>▲ 超出此轴的点：%1 或更多</translation>
        </message>
        <message>
            <source>Precision</source>
            <comment>metric</comment>
            <translation>精确率</translation>
        </message>
        <message>
            <source>%1 on %2 %3</source>
            <translation>%1（%2）%3</translation>
        </message>
        <message>
            <source>%1 on %2: %3</source>
            <translation>%1（%2）：%3</translation>
        </message>
        <message>
            <source>, </source>
            <translation>，</translation>
        </message>
        <message>
            <source>“%1”</source>
            <translation>“%1”</translation>
        </message>
        <message>
            <source>accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>top-%1 accuracy</source>
            <translation>Top-%1 准确率</translation>
        </message>
        <message>
            <source>binary accuracy</source>
            <translation>二分类准确率</translation>
        </message>
        <message>
            <source>precision</source>
            <translation>精确率</translation>
        </message>
        <message>
            <source>recall</source>
            <translation>召回率</translation>
        </message>
        <message>
            <source>perplexity</source>
            <translation>困惑度</translation>
        </message>
        <message>
            <source>loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Completed: %1%2 step%3</source>
            <translation>已完成：%1%2 步%3</translation>
        </message>
        <message>
            <source>Spare hosts</source>
            <translation>备用主机</translation>
        </message>
        <message>
            <source>Least left</source>
            <translation>至少剩余</translation>
        </message>
        <message>
            <source>Spare after</source>
            <translation>启用备用前等待</translation>
        </message>
        <message>
            <source>Copies</source>
            <translation>拷贝数</translation>
        </message>
        <message>
            <source>spare host %1</source>
            <translation>备用主机 %1</translation>
        </message>
        <message>
            <source>You see the run as it was. Go back to now (End) to act on it</source>
            <translation>正在查看运行过去的状态。返回现在 (End) 才能对它操作</translation>
        </message>
        <message>
            <source>debug</source>
            <translation>调试</translation>
        </message>
        <message>
            <source>info</source>
            <translation>信息</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>error</source>
            <translation>错误</translation>
        </message>
        <message>
            <source>batches</source>
            <translation>批</translation>
        </message>
        <message>
            <source>checkpoints</source>
            <translation>个检查点</translation>
        </message>
        <message>
            <source>columns</source>
            <translation>列</translation>
        </message>
        <message>
            <source>epochs</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>parts</source>
            <translation>份</translation>
        </message>
        <message>
            <source>pixels</source>
            <translation>像素</translation>
        </message>
        <message>
            <source>processes</source>
            <translation>个进程</translation>
        </message>
        <message>
            <source>replicas</source>
            <translation>个副本</translation>
        </message>
        <message>
            <source>restarts</source>
            <translation>次重启</translation>
        </message>
        <message>
            <source>samples</source>
            <translation>个样本</translation>
        </message>
        <message>
            <source>steps</source>
            <translation>步</translation>
        </message>
        <message>
            <source>hosts</source>
            <translation>台主机</translation>
        </message>
        <message>
            <source>nodes</source>
            <translation>个节点</translation>
        </message>
        <message>
            <source>rows</source>
            <translation>行</translation>
        </message>
        <message>
            <source>tokens</source>
            <translation>个词元</translation>
        </message>
        <message>
            <source>Right at step %1; no other answer is known.</source>
            <translation>第 %1 步时正确；没有其他已知的回答。</translation>
        </message>
        <message>
            <source>Wrong at step %1; no other answer is known.</source>
            <translation>第 %1 步时错误；没有其他已知的回答。</translation>
        </message>
        <message>
            <source>Right at all %1 checkpoints.</source>
            <translation>全部 %1 个检查点都正确。</translation>
        </message>
        <message>
            <source>Wrong at all %1 checkpoints.</source>
            <translation>全部 %1 个检查点都错误。</translation>
        </message>
        <message>
            <source>Right at all %1 checkpoints whose answer is known.</source>
            <translation>回答已知的全部 %1 个检查点都正确。</translation>
        </message>
        <message>
            <source>Wrong at all %1 checkpoints whose answer is known.</source>
            <translation>回答已知的全部 %1 个检查点都错误。</translation>
        </message>
        <message>
            <source>Right since step %1.</source>
            <translation>自第 %1 步起正确。</translation>
        </message>
        <message>
            <source>Wrong since step %1.</source>
            <translation>自第 %1 步起错误。</translation>
        </message>
        <message>
            <source>Right since step %1 at the latest; wrong at step %2.</source>
            <translation>最迟自第 %1 步起正确；第 %2 步时错误。</translation>
        </message>
        <message>
            <source>Wrong since step %1 at the latest; right at step %2.</source>
            <translation>最迟自第 %1 步起错误；第 %2 步时正确。</translation>
        </message>
        <message>
            <source>It changed its mind at least %1 times, last at step %2.</source>
            <translation>回答至少改变了 %1 次，最近一次在第 %2 步。</translation>
        </message>
        <message>
            <source>It changed its mind %1 times, last at step %2.</source>
            <translation>回答改变了 %1 次，最近一次在第 %2 步。</translation>
        </message>
        <message>
            <source>Gone, with nothing recorded of this sample, and not asked: %1 of %2 checkpoints.</source>
            <translation>已删除、没有此样本的记录、因而未询问：%2 个检查点中的 %1 个。</translation>
        </message>
        <message>
            <source>Not asked yet: %1 of %2.</source>
            <translation>尚未询问：%2 个中的 %1 个。</translation>
        </message>
        <message>
            <source>Could not answer: %1 of %2, %3.</source>
            <translation>无法回答：%2 个中的 %1 个，%3。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AboutRunDialog</name>
        <message>
            <source>Name, tags and note</source>
            <translation>名称、标签和备注</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>What the run is called; its folder stays as it is</source>
            <translation>运行的名称；其文件夹保持不变</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>标签</translation>
        </message>
        <message>
            <source>baseline keep</source>
            <translation>基线 保留</translation>
        </message>
        <message>
            <source>Words, with blanks between them; tag:word in the filter finds them</source>
            <translation>以空格分隔的词；在筛选框中用“tag:词”可找到它们</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>保存</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswerModel</name>
        <message>
            <source>the row</source>
            <translation>该行</translation>
        </message>
        <message>
            <source>%1, image %2</source>
            <translation>%1，第 %2 张图像</translation>
        </message>
        <message>
            <source>row %1</source>
            <translation>第 %1 行</translation>
        </message>
        <message>
            <source>%1, line %2</source>
            <translation>%1，第 %2 行</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>Sample</source>
            <translation>样本</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>答案</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswerStrip</name>
        <message>
            <source>What the checkpoints say of this sample</source>
            <translation>各检查点对此样本的回答</translation>
        </message>
        <message>
            <source>Step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>%1: recognised with %2</source>
            <translation>%1：以 %2 识别正确</translation>
        </message>
        <message>
            <source>%1: taken for %2 with %3, its own class has %4</source>
            <translation>%1：以 %3 误认为 %2，其自身类别为 %4</translation>
        </message>
        <message>
            <source>%1: not asked yet</source>
            <translation>%1：尚未询问</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>%1: its files are gone, and nothing was recorded of this sample</source>
            <translation>%1：其文件已不存在，且没有此样本的记录</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AnswersCard</name>
        <message>
            <source>Answers</source>
            <translation>答案</translation>
        </message>
        <message>
            <source>Text that the network writes</source>
            <translation>网络写出的文本</translation>
        </message>
        <message>
            <source>and %1 more remarks</source>
            <translation>及另外 %1 条说明</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Copy all answers, for a spreadsheet</source>
            <translation>复制所有答案，可粘贴到电子表格</translation>
        </message>
        <message>
            <source>Save as JSON or CSV …</source>
            <translation>另存为 JSON 或 CSV…</translation>
        </message>
        <message>
            <source>What the network says is shown here.</source>
            <translation>网络给出的结果显示在这里。</translation>
        </message>
        <message>
            <source>Reading the checkpoint …</source>
            <translation>正在读取检查点…</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1/%2</translation>
        </message>
        <message>
            <source>Answered by step %1</source>
            <translation>由第 %1 步的检查点作答</translation>
        </message>
        <message>
            <source>%1 answers</source>
            <translation>%1 个答案</translation>
        </message>
        <message>
            <source>%1 without an answer</source>
            <translation>%1 个没有答案</translation>
        </message>
        <message>
            <source>cancelled</source>
            <translation>已取消</translation>
        </message>
        <message>
            <source>Save answers</source>
            <translation>保存答案</translation>
        </message>
        <message>
            <source>JSON (*.json);;CSV (*.csv)</source>
            <translation>JSON (*.json);;CSV (*.csv)</translation>
        </message>
        <message>
            <source>Saved as %1.</source>
            <translation>已保存为 %1。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AugmentEditor</name>
        <message>
            <source>Random changes of training images</source>
            <translation>训练图像的随机变换</translation>
        </message>
        <message>
            <source>Add a random change</source>
            <translation>添加随机变换</translation>
        </message>
        <message>
            <source>Add a change …</source>
            <translation>添加变换…</translation>
        </message>
        <message>
            <source>without a type</source>
            <translation>无类型</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
        <message>
            <source>Earlier</source>
            <translation>前移</translation>
        </message>
        <message>
            <source>Later</source>
            <translation>后移</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>移除</translation>
        </message>
        <message>
            <source>None: images are trained on as they are.</source>
            <translation>无：按图像原样训练。</translation>
        </message>
        <message>
            <source>This list is not written in brackets, so its changes are added, moved and removed in the text.</source>
            <translation>此列表未用方括号书写，因此请在文本中添加、移动和移除其变换。</translation>
        </message>
        <message>
            <source>adding %1</source>
            <translation>添加 %1</translation>
        </message>
        <message>
            <source>removal of a random change</source>
            <translation>移除随机变换</translation>
        </message>
        <message>
            <source>move of a random change</source>
            <translation>移动随机变换</translation>
        </message>
        <message>
            <source>change of %1 in %2</source>
            <translation>更改 %2 中的 %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::AugmentedSamples</name>
        <message>
            <source>Samples of the training data</source>
            <translation>训练数据的样本</translation>
        </message>
        <message>
            <source>%1 samples, each with %2 augmented versions: %3</source>
            <translation>%1 个样本，每个有 %2 个增强版本：%3</translation>
        </message>
        <message>
            <source>original</source>
            <translation>原图</translation>
        </message>
        <message>
            <source>epoch %1</source>
            <translation>轮次 %1</translation>
        </message>
        <message>
            <source>%1, as epoch %2 has it</source>
            <translation>%1，轮次 %2 的版本</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartCard</name>
        <message>
            <source>Log y</source>
            <translation>对数 Y</translation>
        </message>
        <message>
            <source>Logarithmic scale (L in the chart)</source>
            <translation>对数刻度（图表中按 L）</translation>
        </message>
        <message>
            <source>%1: logarithmic scale</source>
            <translation>%1：对数刻度</translation>
        </message>
        <message>
            <source>Show all charts</source>
            <translation>显示所有图表</translation>
        </message>
        <message>
            <source>Show only this chart</source>
            <translation>仅显示此图表</translation>
        </message>
        <message>
            <source>%1 (Esc)</source>
            <translation>%1（Esc）</translation>
        </message>
        <message>
            <source>Mean of the newest %1 steps</source>
            <translation>最新 %1 步的均值</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartExport</name>
        <message>
            <source>&amp;Copy the picture</source>
            <translation>复制图片(&amp;C)</translation>
        </message>
        <message>
            <source>Copy the &amp;points (CSV)</source>
            <translation>复制数据点（CSV）(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;Save as PNG, SVG, PDF or CSV…</source>
            <translation>保存为 PNG、SVG、PDF 或 CSV(&amp;S)…</translation>
        </message>
        <message>
            <source>%1 cannot be painted as a picture</source>
            <translation>“%1”无法绘制为图片</translation>
        </message>
        <message>
            <source>Show it smaller, or copy its points.</source>
            <translation>请缩小显示，或复制其数据点。</translation>
        </message>
        <message>
            <source>Copied as a picture: %1</source>
            <translation>已复制为图片：%1</translation>
        </message>
        <message>
            <source>%1 points are too many for the clipboard</source>
            <translation>数据点过多（%1 个），剪贴板无法容纳</translation>
        </message>
        <message>
            <source>Save them as a CSV file, or show a part of the steps.</source>
            <translation>请将其保存为 CSV 文件，或只显示一部分步。</translation>
        </message>
        <message>
            <source>Points copied: %1</source>
            <translation>已复制数据点：%1</translation>
        </message>
        <message>
            <source>Save the chart</source>
            <translation>保存图表</translation>
        </message>
        <message>
            <source>PNG picture (*.png)</source>
            <translation>PNG 图片 (*.png)</translation>
        </message>
        <message>
            <source>SVG drawing (*.svg)</source>
            <translation>SVG 矢量图 (*.svg)</translation>
        </message>
        <message>
            <source>PDF document (*.pdf)</source>
            <translation>PDF 文档 (*.pdf)</translation>
        </message>
        <message>
            <source>CSV table of the points (*.csv)</source>
            <translation>数据点的 CSV 表格 (*.csv)</translation>
        </message>
        <message>
            <source>Saved: %1</source>
            <translation>已保存：%1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ChartVerbs</name>
        <message>
            <source>There is no chart on this page.</source>
            <translation>此页面上没有图表。</translation>
        </message>
        <message>
            <source>Charts are on Live, and on Runs where runs are compared.</source>
            <translation>“实时”页面有图表；“运行记录”页面在比较运行时也有。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::CheckpointActions</name>
        <message>
            <source>Export this one …</source>
            <translation>导出此检查点…</translation>
        </message>
        <message>
            <source>&amp;Safetensors: the weights, by PyTorch's names …</source>
            <translation>Safetensors：权重，采用 PyTorch 的名称(&amp;S)…</translation>
        </message>
        <message>
            <source>&amp;ONNX: the network itself …</source>
            <translation>ONNX：网络本身(&amp;O)…</translation>
        </message>
        <message>
            <source>Resume</source>
            <translation>继续</translation>
        </message>
        <message>
            <source>Start a run from it</source>
            <translation>由此开始新运行</translation>
        </message>
        <message>
            <source>There is no %1: the checkpoint is gone, lies on another host, or in shards. Export it as safetensors, and name that file under model.initial_weights.</source>
            <translation>没有 %1：检查点已不存在、位于其他主机上，或是分片保存的。请将其导出为 safetensors，并在 model.initial_weights 中填写该文件。</translation>
        </message>
        <message>
            <source>The files of the checkpoint of step %1 are gone.</source>
            <translation>第 %1 步检查点的文件已不在。</translation>
        </message>
        <message>
            <source>Write the network of step %1 to a file for other programs</source>
            <translation>将第 %1 步的网络写入文件，供其他程序使用</translation>
        </message>
        <message>
            <source>Go on with this run from step %1, its newest checkpoint</source>
            <translation>从第 %1 步（最新检查点）继续此运行</translation>
        </message>
        <message>
            <source>Open this run's job as another one that begins with the weights of step %1. Its optimiser and its steps begin anew; launch it on the Job page</source>
            <translation>将此运行的作业作为另一个作业打开，以第 %1 步的权重开始。优化器和步数重新开始；请在“作业”页面启动</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClassBars</name>
        <message>
            <source>Accuracy of each class</source>
            <translation>各类别的准确率</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Weakest: %1, %2</source>
            <translation>最弱：%1，%2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClusterCard</name>
        <message>
            <source>Cluster</source>
            <translation>集群</translation>
        </message>
        <message>
            <source>Processes of the cluster</source>
            <translation>集群的进程</translation>
        </message>
        <message>
            <source>Add process</source>
            <translation>添加进程</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>移除</translation>
        </message>
        <message>
            <source>Remove the chosen process; process 0, the chief, stays</source>
            <translation>移除选中的进程；进程 0（主进程，chief）始终保留</translation>
        </message>
        <message>
            <source>Import …</source>
            <translation>导入…</translation>
        </message>
        <message>
            <source>Read the cluster from TF_CONFIG, Keras, JAX, torchrun, a hostfile, Slurm or Kubernetes</source>
            <translation>从 TF_CONFIG、Keras、JAX、torchrun、hostfile、Slurm 或 Kubernetes 读取集群</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ClusterTableModel</name>
        <message>
            <source>with the chief</source>
            <translation>与主进程同机</translation>
        </message>
        <message>
            <source>from the launcher</source>
            <translation>由启动器指定</translation>
        </message>
        <message>
            <source>host:port; port 0 is chosen at launch</source>
            <translation>主机:端口；端口 0 表示启动时选定</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Role</source>
            <translation>角色</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Replicas</source>
            <translation>副本</translation>
        </message>
        <message>
            <source>Problem</source>
            <translation>问题</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ColumnsEditor</name>
        <message>
            <source>left out</source>
            <translation>不使用</translation>
        </message>
        <message>
            <source>number, normalised</source>
            <translation>数值，标准化</translation>
        </message>
        <message>
            <source>number as it is</source>
            <translation>数值，原样</translation>
        </message>
        <message>
            <source>category, words</source>
            <translation>类别，文本</translation>
        </message>
        <message>
            <source>category, whole numbers</source>
            <translation>类别，整数</translation>
        </message>
        <message>
            <source>Columns of the table</source>
            <translation>表格的列</translation>
        </message>
        <message>
            <source>Use all columns</source>
            <translation>使用所有列</translation>
        </message>
        <message>
            <source>Numbers normalised, words as categories; the target is left out</source>
            <translation>数值标准化，文本作为类别；目标列除外</translation>
        </message>
        <message>
            <source>Kind of %1</source>
            <translation>%1 的类型</translation>
        </message>
        <message>
            <source>How %1 reaches the network</source>
            <translation>%1 输入网络的方式</translation>
        </message>
        <message>
            <source>A number for each category; or one column of whole numbers, which an embedding takes</source>
            <translation>每个类别一个数值；或一列整数，供嵌入层使用</translation>
        </message>
        <message>
            <source>one-hot</source>
            <translation>独热</translation>
        </message>
        <message>
            <source>whole numbers</source>
            <translation>整数</translation>
        </message>
        <message>
            <source>Most categories of %1</source>
            <translation>%1 的最大类别数</translation>
        </message>
        <message>
            <source>How many categories at most: the most frequent ones</source>
            <translation>最多保留多少个类别：取出现最多的</translation>
        </message>
        <message>
            <source>all</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>%1, for example %2</source>
            <translation>%1，例如 %2</translation>
        </message>
        <message>
            <source>the target</source>
            <translation>目标</translation>
        </message>
        <message>
            <source>The table has no such column.</source>
            <translation>表格中没有这一列。</translation>
        </message>
        <message>
            <source>Reading the table …</source>
            <translation>正在读取表格…</translation>
        </message>
        <message>
            <source>The table's columns are not known: %1.</source>
            <translation>表格的列未知：%1。</translation>
        </message>
        <message>
            <source>Choose the table's file above: its columns are listed here.</source>
            <translation>请在上方选择表格文件：其列会列在这里。</translation>
        </message>
        <message>
            <source>kind of %1</source>
            <translation>更改 %1 的类型</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%2 的 %1</translation>
        </message>
        <message>
            <source>use of all columns</source>
            <translation>使用所有列</translation>
        </message>
        <message>
            <source>1 more column is edited in the text.</source>
            <translation>另有 1 列，请在文本中编辑。</translation>
        </message>
        <message>
            <source>%1 more columns are edited in the text.</source>
            <translation>另有 %1 列，请在文本中编辑。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ComparePage</name>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Loss, validation</source>
            <translation>验证损失</translation>
        </message>
        <message>
            <source>Accuracy, validation</source>
            <translation>验证准确率</translation>
        </message>
        <message>
            <source>Reading …</source>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>The compared runs: what became of them, and what differs</source>
            <translation>所比较的运行：结果与差异</translation>
        </message>
        <message>
            <source>All runs</source>
            <translation>所有运行</translation>
        </message>
        <message>
            <source>Back to the list (Esc)</source>
            <translation>返回列表（Esc）</translation>
        </message>
        <message>
            <source>Since each run's first step, without the pauses between its starts</source>
            <translation>自每次运行的第一步起，不含各次启动之间的停顿</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>显示全部</translation>
        </message>
        <message>
            <source>All settings</source>
            <translation>全部设置</translation>
        </message>
        <message>
            <source>Also those in which the jobs agree</source>
            <translation>也包括各作业中相同的设置</translation>
        </message>
        <message>
            <source>%1 runs compared</source>
            <translation>比较 %1 次运行</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>未报告任何步</translation>
        </message>
        <message>
            <source>%1, reading …</source>
            <translation>%1，正在读取…</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ComparedRunsModel</name>
        <message>
            <source>A click on the mark, or Space, shows or hides its curves</source>
            <translation>单击标记或按空格键，可显示或隐藏其曲线</translation>
        </message>
        <message>
            <source>%1: %2</source>
            <translation>%1：%2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConfusedPairs</name>
        <message>
            <source>Most confused classes</source>
            <translation>最易混淆的类别</translation>
        </message>
        <message>
            <source>%1 × %2 → %3%4</source>
            <translation>%1 × %2 → %3%4</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConfusionMatrix</name>
        <message>
            <source>Confusion matrix</source>
            <translation>混淆矩阵</translation>
        </message>
        <message>
            <source>%1 of %2 (%3)</source>
            <translation>%1/%2（%3）</translation>
        </message>
        <message>
            <source>%1 recognised: %2</source>
            <translation>%1 识别正确：%2</translation>
        </message>
        <message>
            <source>%1 taken for %2: %3</source>
            <translation>%1 误判为 %2：%3</translation>
        </message>
        <message>
            <source>No evaluation yet</source>
            <translation>尚无评估</translation>
        </message>
        <message>
            <source>Point at a cell; + and the wheel with Ctrl enlarge, 0 shows all</source>
            <translation>请指向一个单元格；+ 或 Ctrl 加滚轮可放大，0 显示全部</translation>
        </message>
        <message>
            <source>Point at a cell, or use the arrow keys</source>
            <translation>请指向一个单元格，或使用方向键</translation>
        </message>
        <message>
            <source>Prediction</source>
            <translation>预测</translation>
        </message>
        <message>
            <source>Truth</source>
            <translation>真实</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ConsentDialog</name>
        <message>
            <source>Attach to this run?</source>
            <translation>附加到此运行？</translation>
        </message>
        <message>
            <source>“%1” is not known as a run of yours. Following it</source>
            <translation>尚不能确定“%1”是您的运行。跟踪它会：</translation>
        </message>
        <message>
            <source>Attach to it if it is yours, or if you trust whoever it came from.</source>
            <translation>只有当它是您的，或您信任其来源时，才附加。</translation>
        </message>
        <message>
            <source>Attach</source>
            <translation>附加</translation>
        </message>
        <message>
            <source>Check the hosts of this job?</source>
            <translation>检查此作业的主机？</translation>
        </message>
        <message>
            <source>The hosts of “%1” have not been checked before. Doing so</source>
            <translation>“%1”的主机此前未检查过。检查它们会：</translation>
        </message>
        <message>
            <source>Check them if the file is yours, or if you trust whoever it came from.</source>
            <translation>只有当文件是您的，或您信任其来源时，才检查。</translation>
        </message>
        <message>
            <source>Check hosts</source>
            <translation>检查主机</translation>
        </message>
        <message>
            <source>Launch this job?</source>
            <translation>启动此作业？</translation>
        </message>
        <message>
            <source>“%1” has not been launched like this before. It</source>
            <translation>“%1”此前未以这种方式启动过。启动它会：</translation>
        </message>
        <message>
            <source>Launch it if the file is yours, or if you trust whoever it came from.</source>
            <translation>只有当文件是您的，或您信任其来源时，才启动。</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>What is run and reached</source>
            <translation>将要运行和访问的内容</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DescribeRun</name>
        <message>
            <source>Mend the file, or remove it to begin anew.</source>
            <translation>请修复该文件，或将其删除以重新开始。</translation>
        </message>
        <message>
            <source>The run keeps the name, tags and note it had.</source>
            <translation>运行保留原有的名称、标签和备注。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DesktopNotifications</name>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillChoice</name>
        <message>
            <source>Not here: %1.</source>
            <translation>此处不可用：%1。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillCourse</name>
        <message>
            <source>Not landed yet: %1 s</source>
            <translation>尚未生效：%1 s</translation>
        </message>
        <message>
            <source>Not detected: the run named nothing</source>
            <translation>未检测到：运行没有指出任何问题</translation>
        </message>
        <message>
            <source>Not detected yet: %1 s</source>
            <translation>尚未检测到：%1 s</translation>
        </message>
        <message>
            <source>Not recovered yet: %1 s</source>
            <translation>尚未恢复：%1 s</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillDesk</name>
        <message>
            <source>Make a fault on purpose, and see what becomes of it</source>
            <translation>故意制造一个故障，看看会怎样</translation>
        </message>
        <message>
            <source>The run is over: a drill needs one that goes on</source>
            <translation>运行已结束：演练需要一个正在进行的运行</translation>
        </message>
        <message>
            <source>No run is followed: launch a job, or open a run that goes on</source>
            <translation>没有跟踪任何运行：请启动作业，或打开一个正在进行的运行</translation>
        </message>
        <message>
            <source>The drill goes on without its panel.</source>
            <translation>面板已关闭，演练仍在进行。</translation>
        </message>
        <message>
            <source>Its news are in the log; Run, Drill shows what becomes of it.</source>
            <translation>演练的消息记录在日志中；“运行”菜单中的“演练”可查看结果。</translation>
        </message>
        <message>
            <source>Show the drill</source>
            <translation>显示演练</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::DrillPanel</name>
        <message>
            <source>%1  %2 of process %3: %4</source>
            <translation>%1  进程 %3 的 %2：%4</translation>
        </message>
        <message>
            <source>Drill</source>
            <translation>演练</translation>
        </message>
        <message>
            <source>It really happens.</source>
            <translation>故障会真实发生。</translation>
        </message>
        <message>
            <source>Fault</source>
            <translation>故障</translation>
        </message>
        <message>
            <source>Where</source>
            <translation>位置</translation>
        </message>
        <message>
            <source>In which process</source>
            <translation>在哪个进程</translation>
        </message>
        <message>
            <source>For how many seconds</source>
            <translation>持续多少秒</translation>
        </message>
        <message>
            <source> s</source>
            <translation> s</translation>
        </message>
        <message>
            <source>Lasts</source>
            <translation>持续</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Make this fault…</source>
            <translation>制造此故障…</translation>
        </message>
        <message>
            <source>Drills of this run</source>
            <translation>此运行的演练</translation>
        </message>
        <message>
            <source>Drills of this run, the newest first</source>
            <translation>此运行的演练，最新的在前</translation>
        </message>
        <message>
            <source>None yet. Those of the command line, lockstepctl drill, come here, too.</source>
            <translation>还没有。命令行 lockstepctl drill 发起的演练也会列在这里。</translation>
        </message>
        <message>
            <source>Make this fault?</source>
            <translation>制造此故障？</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Make the fault</source>
            <translation>制造故障</translation>
        </message>
        <message>
            <source>%1 (%2) on %3</source>
            <translation>%1（%2），位于 %3</translation>
        </message>
        <message>
            <source>until the run ends it</source>
            <translation>直到运行将其结束</translation>
        </message>
        <message>
            <source>no run is followed</source>
            <translation>没有跟踪任何运行</translation>
        </message>
        <message>
            <source>the run is not reached (%1)</source>
            <translation>无法连接运行（%1）</translation>
        </message>
        <message>
            <source>the run is asked for a drill</source>
            <translation>已向运行请求演练</translation>
        </message>
        <message>
            <source>Not now: %1.</source>
            <translation>暂时不可用：%1。</translation>
        </message>
        <message>
            <source>The run is asked for it …</source>
            <translation>正在向运行请求…</translation>
        </message>
        <message>
            <source>No drill was done: %1.</source>
            <translation>未进行演练：%1。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluationDetails</name>
        <message>
            <source>Loss %1</source>
            <translation>损失 %1</translation>
        </message>
        <message>
            <source>Confusion</source>
            <translation>混淆</translation>
        </message>
        <message>
            <source>Accuracy by class</source>
            <translation>各类别准确率</translation>
        </message>
        <message>
            <source>Most confused</source>
            <translation>最易混淆</translation>
        </message>
        <message>
            <source>truth → prediction</source>
            <translation>真实 → 预测</translation>
        </message>
        <message>
            <source>Samples</source>
            <translation>样本</translation>
        </message>
        <message>
            <source>All classes</source>
            <translation>所有类别</translation>
        </message>
        <message>
            <source>Show the samples of all cells again</source>
            <translation>重新显示所有单元格的样本</translation>
        </message>
        <message>
            <source>Predictions</source>
            <translation>预测</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>文本</translation>
        </message>
        <message>
            <source>Show the confusion matrix again</source>
            <translation>重新显示混淆矩阵</translation>
        </message>
        <message>
            <source>Show all samples</source>
            <translation>显示所有样本</translation>
        </message>
        <message>
            <source>One sample lies in a cell that the evaluator left out, the emptiest one</source>
            <translation>1 个样本位于评估器略去的单元格中（样本最少的那个）</translation>
        </message>
        <message>
            <source>%1 samples lie in cells that the evaluator left out, the emptiest ones</source>
            <translation>%1 个样本位于评估器略去的单元格中（样本最少的那些）</translation>
        </message>
        <message>
            <source>The weakest of %1 classes</source>
            <translation>最弱的类别（共 %1 个类别）</translation>
        </message>
        <message>
            <source>This checkpoint was not scored: %1</source>
            <translation>此检查点未评分：%1</translation>
        </message>
        <message>
            <source>No samples were kept</source>
            <translation>没有保留任何样本</translation>
        </message>
        <message>
            <source>%1 recognised</source>
            <translation>%1 识别正确</translation>
        </message>
        <message>
            <source>%1 taken for %2</source>
            <translation>%1 误判为 %2</translation>
        </message>
        <message>
            <source>%1, the hardest first</source>
            <translation>%1，最难的在前</translation>
        </message>
        <message>
            <source>the hardest first, %1 of them wrong</source>
            <translation>最难的在前，其中 %1 个判错</translation>
        </message>
        <message>
            <source>%1 of %2, most of them the hardest</source>
            <translation>%2 个中的 %1 个，多为最难的</translation>
        </message>
        <message>
            <source>All %2</source>
            <translation>全部 %2 个</translation>
        </message>
        <message>
            <source>%1: %2 wrong here, %3 in all</source>
            <translation>%1：此处判错 %2 个，总共判错 %3 个</translation>
        </message>
        <message>
            <source>%1: %2 of %3 are among the %4 that were kept</source>
            <translation>%1：共 %3 个，其中 %2 个在保留的 %4 个样本之中</translation>
        </message>
        <message>
            <source>None of the samples that were kept lies here. The evaluator keeps the hardest ones and some of the others.</source>
            <translation>保留的样本中没有属于此处的。评估器保留最难的样本和其余的一部分。</translation>
        </message>
        <message>
            <source>All of class %1</source>
            <translation>类别 %1 的全部</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1，%2</translation>
        </message>
        <message>
            <source>%1, the hardest first, %2 of them wrong</source>
            <translation>%1，最难的在前，其中 %2 个错误</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluationModel</name>
        <message>
            <source>validation loss</source>
            <translation>验证损失</translation>
        </message>
        <message>
            <source>validation accuracy</source>
            <translation>验证准确率</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1%2</translation>
        </message>
        <message>
            <source>%1 of %2 checkpoint scored</source>
            <translation>已为 %1/%2 个检查点评分</translation>
        </message>
        <message>
            <source>%1 of %2 checkpoints scored</source>
            <translation>已为 %1/%2 个检查点评分</translation>
        </message>
        <message>
            <source>not scored</source>
            <translation>未评分</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Score</source>
            <translation>得分</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Took</source>
            <translation>用时</translation>
        </message>
        <message>
            <source>best</source>
            <translation>最佳</translation>
        </message>
        <message>
            <source>kept</source>
            <translation>已保留</translation>
        </message>
        <message>
            <source>deleted</source>
            <translation>已删除</translation>
        </message>
        <message>
            <source>The checkpoint's files are gone: checkpoint.keep says how many of the newest stay, checkpoint.keep_best keeps the best at an epoch's end, too.</source>
            <translation>该检查点的文件已不在：checkpoint.keep 决定保留最新的几个，checkpoint.keep_best 还会保留轮次结束时的最佳检查点。</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluatorDesk</name>
        <message>
            <source>Scores</source>
            <translation>得分</translation>
        </message>
        <message>
            <source>Predict</source>
            <translation>预测</translation>
        </message>
        <message>
            <source>What the page shows</source>
            <translation>页面显示的内容</translation>
        </message>
        <message>
            <source>Newest</source>
            <translation>最新</translation>
        </message>
        <message>
            <source>Best</source>
            <translation>最佳</translation>
        </message>
        <message>
            <source>Which checkpoint is asked and exported</source>
            <translation>用哪个检查点预测和导出</translation>
        </message>
        <message>
            <source>Checkpoint</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>Write the checkpoint's network to a file for other programs</source>
            <translation>将检查点的网络写入文件，供其他程序使用</translation>
        </message>
        <message>
            <source>&amp;Safetensors: the weights, by PyTorch's names …</source>
            <translation>Safetensors：权重，采用 PyTorch 的名称(&amp;S)…</translation>
        </message>
        <message>
            <source>&amp;ONNX: the network itself …</source>
            <translation>ONNX：网络本身(&amp;O)…</translation>
        </message>
        <message>
            <source>Export the network</source>
            <translation>导出网络</translation>
        </message>
        <message>
            <source>ONNX (*.onnx)</source>
            <translation>ONNX (*.onnx)</translation>
        </message>
        <message>
            <source>Safetensors (*.safetensors)</source>
            <translation>Safetensors (*.safetensors)</translation>
        </message>
        <message>
            <source>Exporting …</source>
            <translation>正在导出…</translation>
        </message>
        <message>
            <source>Export …</source>
            <translation>导出…</translation>
        </message>
        <message>
            <source>The network of step %1 was written to %2 (%3).</source>
            <translation>第 %1 步的网络已写入 %2（%3）。</translation>
        </message>
        <message>
            <source>Show in folder</source>
            <translation>在文件夹中显示</translation>
        </message>
        <message>
            <source>You see the run as it was. Go back to now (End) to ask its network, or to export it</source>
            <translation>正在查看运行过去的状态。返回现在 (End) 才能询问或导出它的网络</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::EvaluatorPage</name>
        <message>
            <source>Show</source>
            <translation>查看</translation>
        </message>
        <message>
            <source>Show: %1</source>
            <translation>查看：%1</translation>
        </message>
        <message>
            <source>Latest checkpoint</source>
            <translation>最新检查点</translation>
        </message>
        <message>
            <source>Best checkpoint</source>
            <translation>最佳检查点</translation>
        </message>
        <message>
            <source>Score</source>
            <translation>得分</translation>
        </message>
        <message>
            <source>Show all scores</source>
            <translation>显示全部得分</translation>
        </message>
        <message>
            <source>Show all scores again and grow with them (0)</source>
            <translation>重新显示全部得分，并随新得分扩展（0）</translation>
        </message>
        <message>
            <source>Evaluations</source>
            <translation>评估</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>测试</translation>
        </message>
        <message>
            <source>No checkpoint was scored yet</source>
            <translation>尚无已评分的检查点</translation>
        </message>
        <message>
            <source>The evaluator is a process of its own: it scores every checkpoint as it appears, while training goes on. Its first score comes with the first checkpoint.</source>
            <translation>评估器是单独的进程：训练进行的同时，每出现一个检查点，它就为其评分。第一个得分随第一个检查点而来。</translation>
        </message>
        <message>
            <source> lockstepctl evaluate scores what a run has come to at any time; opened again, an ended run shows those scores here.</source>
            <translation>lockstepctl evaluate 可随时为运行的成果评分；已结束的运行重新打开后，会在这里显示这些得分。</translation>
        </message>
        <message>
            <source>No checkpoint was scored</source>
            <translation>没有已评分的检查点</translation>
        </message>
        <message>
            <source>This job has no evaluator</source>
            <translation>此作业没有评估器</translation>
        </message>
        <message>
            <source>With cluster.evaluator = true a process of its own scores every checkpoint as it appears, while training goes on.</source>
            <translation>设置 cluster.evaluator = true 后，训练进行的同时，会有单独的进程为新出现的每个检查点评分。</translation>
        </message>
        <message>
            <source>The run ended before it wrote a checkpoint.</source>
            <translation>运行在写入检查点之前就结束了。</translation>
        </message>
        <message>
            <source>None of the run's checkpoints could be written.</source>
            <translation>运行的检查点都未能写入。</translation>
        </message>
        <message>
            <source>The run ended before its evaluator had scored one.</source>
            <translation>运行在评估器为任何检查点评分之前就结束了。</translation>
        </message>
        <message>
            <source>The weights that the run ended with have a test %1. </source>
            <translation>运行结束时的权重在测试集上的得分：%1。</translation>
        </message>
        <message>
            <source>The files of the best checkpoint, of step %1, are gone. checkpoint.keep keeps the newest %2.</source>
            <translation>最佳检查点（第 %1 步）的文件已不存在。checkpoint.keep 保留最新的 %2 个。</translation>
        </message>
        <message>
            <source> checkpoint.keep_best keeps the best at an epoch's end too.</source>
            <translation>checkpoint.keep_best 还会保留轮次结束时的最佳检查点。</translation>
        </message>
        <message>
            <source> checkpoint.keep_best = true keeps the best of the epochs' ends too.</source>
            <translation>设置 checkpoint.keep_best = true 还会保留各轮次结束时的最佳检查点。</translation>
        </message>
        <message>
            <source>the best checkpoint</source>
            <translation>最佳检查点</translation>
        </message>
        <message>
            <source>the one that is shown</source>
            <translation>当前显示的检查点</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>loss, %1</source>
            <translation>损失，%1</translation>
        </message>
        <message>
            <source>Latest, %1</source>
            <translation>最新（%1）</translation>
        </message>
        <message>
            <source>Best %1</source>
            <translation>最佳（%1）</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FigureShelf</name>
        <message>
            <source>Too slow: there are too many ways to read a name so</source>
            <translation>太慢：这样写有太多种匹配方式</translation>
        </message>
        <message>
            <source>Search the named figures</source>
            <translation>搜索指标</translation>
        </message>
        <message>
            <source>Search: a regular expression</source>
            <translation>搜索：正则表达式</translation>
        </message>
        <message>
            <source>Part of a name, or a regular expression such as loss|norm (Ctrl+F)</source>
            <translation>名称的一部分，或正则表达式，例如 loss|norm（Ctrl+F）</translation>
        </message>
        <message>
            <source>Show hidden figures again, or all as they came</source>
            <translation>重新显示隐藏的指标，或全部恢复原有排列</translation>
        </message>
        <message>
            <source>Pin</source>
            <translation>置顶</translation>
        </message>
        <message>
            <source>Before all others (P)</source>
            <translation>排在所有其他指标之前（P）</translation>
        </message>
        <message>
            <source>%1: before all others</source>
            <translation>%1：置顶</translation>
        </message>
        <message>
            <source>Not a regular expression: %1, at character %2</source>
            <translation>不是正则表达式：%1，在第 %2 个字符处</translation>
        </message>
        <message>
            <source>Hidden: %1</source>
            <translation>已隐藏：%1</translation>
        </message>
        <message>
            <source>Arrangement</source>
            <translation>排列</translation>
        </message>
        <message>
            <source>Found: %1 of %2</source>
            <translation>找到：%1/%2</translation>
        </message>
        <message>
            <source>No figure is called so</source>
            <translation>没有这个名称的指标</translation>
        </message>
        <message>
            <source>Show %1</source>
            <translation>显示“%1”</translation>
        </message>
        <message>
            <source>All, as they came</source>
            <translation>全部恢复原有排列</translation>
        </message>
        <message>
            <source>No longer before all others</source>
            <translation>取消置顶</translation>
        </message>
        <message>
            <source>Before all others</source>
            <translation>置顶</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>隐藏</translation>
        </message>
        <message>
            <source>Move earlier</source>
            <translation>前移</translation>
        </message>
        <message>
            <source>Move later</source>
            <translation>后移</translation>
        </message>
        <message>
            <source>The figures before these</source>
            <translation>前一页指标</translation>
        </message>
        <message>
            <source>The figures behind these</source>
            <translation>后一页指标</translation>
        </message>
        <message>
            <source>Found: %1 of %2, here %3 to %4</source>
            <translation>找到：%1/%2，此处为第 %3 至 %4 个</translation>
        </message>
        <message>
            <source>%1 to %2 of %3 figures; search to see others</source>
            <translation>第 %1 至 %2 个，共 %3 个指标；搜索可查看其他指标</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FileDrop</name>
        <message>
            <source>Browse …</source>
            <translation>浏览…</translation>
        </message>
        <message>
            <source>What to ask about</source>
            <translation>选择要预测的内容</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::FindBar</name>
        <message>
            <source>Find in the lines (Ctrl+F)</source>
            <translation>在日志行中查找 (Ctrl+F)</translation>
        </message>
        <message>
            <source>Find text in the lines</source>
            <translation>在日志行中查找文本</translation>
        </message>
        <message>
            <source>Line or time (Ctrl+G)</source>
            <translation>行号或时间 (Ctrl+G)</translation>
        </message>
        <message>
            <source>Go to a line or a time</source>
            <translation>转到某行或某时刻</translation>
        </message>
        <message>
            <source>A line's number, such as 12000, or a time, such as 14:05:12</source>
            <translation>行号（如 12000）或时间（如 14:05:12）</translation>
        </message>
        <message>
            <source>The one before (Shift+F3, or Shift+Enter in the field)</source>
            <translation>上一个（Shift+F3，或在输入框中按 Shift+Enter）</translation>
        </message>
        <message>
            <source>The next one (F3, or Enter in the field)</source>
            <translation>下一个（F3，或在输入框中按 Enter）</translation>
        </message>
        <message>
            <source>Search no further (Esc)</source>
            <translation>停止查找 (Esc)</translation>
        </message>
        <message>
            <source>%1. What was found before stays marked.</source>
            <translation>%1。之前找到的仍保持标记。</translation>
        </message>
        <message>
            <source>Searching</source>
            <translation>正在查找</translation>
        </message>
        <message>
            <source>No line has it</source>
            <translation>没有匹配的行</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>第 %1 个，共 %2 个</translation>
        </message>
        <message>
            <source>1 line</source>
            <translation>1 行</translation>
        </message>
        <message>
            <source>%1 lines</source>
            <translation>%1 行</translation>
        </message>
        <message>
            <source>%1, %2 searched</source>
            <translation>%1，已查找 %2</translation>
        </message>
        <message>
            <source>%1, stopped at %2</source>
            <translation>%1，停在 %2</translation>
        </message>
        <message>
            <source>No line is finished yet.</source>
            <translation>尚无已结束的行。</translation>
        </message>
        <message>
            <source>There is one line. This is it.</source>
            <translation>只有一行，就是这一行。</translation>
        </message>
        <message>
            <source>There are %1 lines. This is the last one.</source>
            <translation>共有 %1 行。这是最后一行。</translation>
        </message>
        <message>
            <source>“%1” is neither a line's number, such as 12000, nor a time, such as 14:05:12.</source>
            <translation>“%1”既不是行号（如 12000），也不是时间（如 14:05:12）。</translation>
        </message>
        <message>
            <source>No line is as late as that. This is the last one.</source>
            <translation>没有那么晚的行。这是最后一行。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::GraphLegend</name>
        <message>
            <source>Sizes</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Operations</source>
            <translation>运算量</translation>
        </message>
        <message>
            <source>Time</source>
            <translation>时间</translation>
        </message>
        <message>
            <source>What the picture shows of each layer</source>
            <translation>图中各层显示的内容</translation>
        </message>
        <message>
            <source>Where the time goes: sizes, the share of a step's operations, or the share of its time, measured on this machine</source>
            <translation>查看时间花在哪里：大小、各层在一步中的运算量占比，或在本机测得的时间占比</translation>
        </message>
        <message>
            <source>memory of the output</source>
            <translation>输出所占内存</translation>
        </message>
        <message>
            <source>operations</source>
            <translation>运算量</translation>
        </message>
        <message>
            <source>share of all</source>
            <translation>占总量的比例</translation>
        </message>
        <message>
            <source>Nothing can be measured here.</source>
            <translation>此处无法测量。</translation>
        </message>
        <message>
            <source>Measuring steps of %1 samples on this machine …</source>
            <translation>正在本机测量每步 %1 个样本的耗时…</translation>
        </message>
        <message>
            <source>%1 a step of %2 samples, forward and backward, on this machine's processor.</source>
            <translation>在本机处理器上，一步 %2 个样本的前向和反向共需 %1。</translation>
        </message>
        <message>
            <source>ms a step</source>
            <translation>ms/步</translation>
        </message>
        <message>
            <source>The network has changed: choose Time to measure it as it is now.</source>
            <translation>网络已更改：选择“时间”可按现在的网络重新测量。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::GraphView</name>
        <message>
            <source>Picture of the network</source>
            <translation>网络图</translation>
        </message>
        <message>
            <source>The network is drawn here as soon as it is one.</source>
            <translation>网络完整后会绘制在这里。</translation>
        </message>
        <message>
            <source>gives %1</source>
            <translation>输出 %1</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 层</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 个参数</translation>
        </message>
        <message>
            <source>%1 a sample</source>
            <translation>每个样本 %1</translation>
        </message>
        <message>
            <source>%1FLOP a sample</source>
            <translation>每个样本 %1FLOP</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>%1 of all</source>
            <translation>占总量的 %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HeaderBar</name>
        <message>
            <source>Slow</source>
            <translation>偏慢</translation>
        </message>
        <message>
            <source>Replica lost</source>
            <translation>副本失联</translation>
        </message>
        <message>
            <source>Stuck</source>
            <translation>卡住</translation>
        </message>
        <message>
            <source>Silent</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>Opening</source>
            <translation>正在打开</translation>
        </message>
        <message>
            <source>No job</source>
            <translation>无作业</translation>
        </message>
        <message>
            <source>Has problems</source>
            <translation>有问题</translation>
        </message>
        <message>
            <source>Hosts not ready</source>
            <translation>主机未就绪</translation>
        </message>
        <message>
            <source>Ready</source>
            <translation>就绪</translation>
        </message>
        <message>
            <source>a replica is silent</source>
            <translation>有副本无响应</translation>
        </message>
        <message>
            <source>a replica makes the others wait</source>
            <translation>有副本拖慢其他副本</translation>
        </message>
        <message>
            <source>a replica needs attention</source>
            <translation>有副本需要关注</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>Epoch %1 of %2</source>
            <translation>轮次 %1/%2</translation>
        </message>
        <message>
            <source>step %1 of %2</source>
            <translation>第 %1/%2 步</translation>
        </message>
        <message>
            <source>took %1</source>
            <translation>用时 %1</translation>
        </message>
        <message>
            <source>%1 left</source>
            <translation>剩余 %1</translation>
        </message>
        <message>
            <source>Lockstep</source>
            <translation>Lockstep</translation>
        </message>
        <message>
            <source>Progress of the run</source>
            <translation>运行的进度</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HeartbeatChart</name>
        <message>
            <source>Older ones: drag the slider below</source>
            <translation>更早的：拖动下方的滑块</translation>
        </message>
        <message>
            <source>Heartbeats</source>
            <translation>心跳</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 失联：%2</translation>
        </message>
        <message>
            <source>the run was started again at %1</source>
            <translation>此运行于 %1 重启</translation>
        </message>
        <message>
            <source>%1: silent for %2</source>
            <translation>%1：无响应 %2</translation>
        </message>
        <message>
            <source>%1 at %2: %3</source>
            <translation>%1，%2：%3</translation>
        </message>
        <message>
            <source>No process yet</source>
            <translation>尚无进程</translation>
        </message>
        <message>
            <source>end</source>
            <translation>结束</translation>
        </message>
        <message>
            <source>now</source>
            <translation>现在</translation>
        </message>
        <message>
            <source>The run had ended before the first heartbeat</source>
            <translation>运行在首次心跳之前已结束</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HistoryPanel</name>
        <message>
            <source>Compute what the checkpoints whose files are there say of this sample and of those shown beside it</source>
            <translation>计算文件仍在的检查点对此样本及旁边所示样本的回答</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Close the sample's course</source>
            <translation>关闭样本的变化过程</translation>
        </message>
        <message>
            <source>Close the sample's course (Esc)</source>
            <translation>关闭样本的变化过程 (Esc)</translation>
        </message>
        <message>
            <source>The newest %1 of them are asked at a time.</source>
            <translation>每次询问其中最新的 %1 个。</translation>
        </message>
        <message>
            <source>What the checkpoints say of it is not known.</source>
            <translation>各检查点对它的回答未知。</translation>
        </message>
        <message>
            <source>Sample %1 of class %2. %3</source>
            <translation>样本 %1，类别 %2。%3</translation>
        </message>
        <message>
            <source>Asked %1 of %2</source>
            <translation>已询问 %1 / %2</translation>
        </message>
        <message>
            <source>Reading … %1 of %2</source>
            <translation>正在读取… %1 / %2</translation>
        </message>
        <message>
            <source>Ask 1 checkpoint</source>
            <translation>询问 1 个检查点</translation>
        </message>
        <message>
            <source>Ask %1 checkpoints</source>
            <translation>询问 %1 个检查点</translation>
        </message>
        <message>
            <source>The checkpoint of step %1 was not scored, so there is no evaluation of it to be opened.</source>
            <translation>第 %1 步的检查点没有评分，因此没有可打开的评估。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HomePage</name>
        <message>
            <source>start not known</source>
            <translation>启动时间未知</translation>
        </message>
        <message>
            <source>started today, %1</source>
            <translation>今天 %1 启动</translation>
        </message>
        <message>
            <source>started %1</source>
            <translation>%1 启动</translation>
        </message>
        <message>
            <source>took %1</source>
            <translation>用时 %1</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <comment>name and value of a metric</comment>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>, %1 left</source>
            <translation>，剩余 %1</translation>
        </message>
        <message>
            <source>Last runs</source>
            <translation>最近的运行</translation>
        </message>
        <message>
            <source>All runs</source>
            <translation>所有运行</translation>
        </message>
        <message>
            <source>What you launch is listed here: how it ended, and what it reached.</source>
            <translation>您启动的运行会列在这里：如何结束，达到了什么结果。</translation>
        </message>
        <message>
            <source>Recent jobs</source>
            <translation>最近的作业</translation>
        </message>
        <message>
            <source>Running now</source>
            <translation>正在运行</translation>
        </message>
        <message>
            <source>New job</source>
            <translation>新建作业</translation>
        </message>
        <message>
            <source>Copies, to be changed and saved</source>
            <translation>以拷贝方式打开，供修改和保存</translation>
        </message>
        <message>
            <source>Images: handwritten digits</source>
            <translation>图像：手写数字</translation>
        </message>
        <message>
            <source>Two replicas on this machine, nothing to download</source>
            <translation>在本机使用两个副本，无需下载</translation>
        </message>
        <message>
            <source>A table: what houses cost</source>
            <translation>表格：房价</translation>
        </message>
        <message>
            <source>A regression on 3 000 rows; put in a CSV file of your own</source>
            <translation>对 3 000 行数据做回归；可换成自己的 CSV 文件</translation>
        </message>
        <message>
            <source>A text: a tiny GPT that writes plays</source>
            <translation>文本：写剧本的微型 GPT</translation>
        </message>
        <message>
            <source>Character by character; put in a text of your own</source>
            <translation>逐字符生成；可换成自己的文本</translation>
        </message>
        <message>
            <source>A program of your own</source>
            <translation>自己的程序</translation>
        </message>
        <message>
            <source>Started as every process of a job; here one of 40 lines in Python</source>
            <translation>作为作业的每个进程启动；示例是 40 行 Python 代码</translation>
        </message>
        <message>
            <source>Several hosts, over ssh</source>
            <translation>通过 ssh 使用多台主机</translation>
        </message>
        <message>
            <source>Put in the names of your hosts; nothing is installed there</source>
            <translation>填入主机名即可；不会在主机上安装任何东西</translation>
        </message>
        <message>
            <source>On a Slurm cluster</source>
            <translation>在 Slurm 集群上</translation>
        </message>
        <message>
            <source>Put in your partition; submitted from this machine</source>
            <translation>填入分区即可；从本机提交</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>A job file…</source>
            <translation>作业文件…</translation>
        </message>
        <message>
            <source>The cluster, the data, the model and the training plan; or drop it here</source>
            <translation>集群、数据、模型和训练方案；也可以拖放到这里</translation>
        </message>
        <message>
            <source>A run folder…</source>
            <translation>运行文件夹…</translation>
        </message>
        <message>
            <source>Followed where it runs, replayed where it has ended</source>
            <translation>正在进行的会被跟踪，已结束的会被回放</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>跟踪</translation>
        </message>
        <message>
            <source>Images in folders of your own</source>
            <translation>自己文件夹中的图像</translation>
        </message>
        <message>
            <source>A folder a class; choose the folder that holds them</source>
            <translation>每个类别一个文件夹；选择包含它们的文件夹</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckCard</name>
        <message>
            <source>Hosts</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Check again</source>
            <translation>重新检查</translation>
        </message>
        <message>
            <source>Examine every host of the job; nothing of it is started</source>
            <translation>检查作业的每台主机；不会启动作业的任何部分</translation>
        </message>
        <message>
            <source>Checks of the job's hosts</source>
            <translation>作业主机的检查结果</translation>
        </message>
        <message>
            <source>%1 on %2</source>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>Starting …</source>
            <translation>正在开始…</translation>
        </message>
        <message>
            <source>Before anything trains, every host can be looked at: ssh, the network between all of them, clocks, disks, data, memory, GPUs and what earlier runs have left.</source>
            <translation>开始训练之前，可以检查每台主机：ssh、所有主机之间的网络、时钟、磁盘、数据、内存、GPU，以及先前运行的残留。</translation>
        </message>
        <message>
            <source>%1 The job has changed since: check again.</source>
            <translation>%1 此后作业已更改：请重新检查。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckDetails</name>
        <message>
            <source>Sets %1 to %2 in the job file; Undo takes it back</source>
            <translation>将作业文件中的 %1 设为 %2；可撤销</translation>
        </message>
        <message>
            <source>Command that helps</source>
            <translation>可解决问题的命令</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Copy the command</source>
            <translation>复制命令</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostCheckModel</name>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Host %1, %2</source>
            <translation>主机 %1，%2</translation>
        </message>
        <message>
            <source>%1 of %2: %3, %4</source>
            <translation>%2 的 %1：%3，%4</translation>
        </message>
        <message>
            <source>waiting</source>
            <translation>等待中</translation>
        </message>
        <message>
            <source>being examined</source>
            <translation>检查中</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>not asked</source>
            <translation>不适用</translation>
        </message>
        <message>
            <source>ok</source>
            <translation>正常</translation>
        </message>
        <message>
            <source>note</source>
            <translation>提示</translation>
        </message>
        <message>
            <source>warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>fails</source>
            <translation>未通过</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostQuestionDialog</name>
        <message>
            <source>A host asks</source>
            <translation>主机有询问</translation>
        </message>
        <message>
            <source>Trust %1?</source>
            <translation>信任 %1？</translation>
        </message>
        <message>
            <source>This host is not known yet. Whoever answers at its address shows this key; compare the fingerprint with that of the host before you trust it.</source>
            <translation>此主机尚属未知。在其地址上应答的一方出示了此密钥；信任之前，请与该主机的指纹核对。</translation>
        </message>
        <message>
            <source>Trust this key</source>
            <translation>信任此密钥</translation>
        </message>
        <message>
            <source>Do not connect</source>
            <translation>不连接</translation>
        </message>
        <message>
            <source>Unlock your key</source>
            <translation>解锁您的密钥</translation>
        </message>
        <message>
            <source>The key %1 opens %2. Its passphrase is kept in memory only, until this window closes.</source>
            <translation>密钥 %1 用于登录 %2。其口令只保存在内存中，直到此窗口关闭。</translation>
        </message>
        <message>
            <source>Passphrase</source>
            <translation>口令</translation>
        </message>
        <message>
            <source>Unlock</source>
            <translation>解锁</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Log in to %1</source>
            <translation>登录到 %1</translation>
        </message>
        <message>
            <source>The host asks for a password or a code. It is kept in memory only, until this window closes.</source>
            <translation>主机要求输入密码或验证码。输入的内容只保存在内存中，直到此窗口关闭。</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>回答</translation>
        </message>
        <message>
            <source>Log in</source>
            <translation>登录</translation>
        </message>
        <message>
            <source>Connect to %1?</source>
            <translation>连接到 %1？</translation>
        </message>
        <message>
            <source>ssh asks for your consent.</source>
            <translation>ssh 需要您的同意。</translation>
        </message>
        <message>
            <source>Yes</source>
            <translation>是</translation>
        </message>
        <message>
            <source>No</source>
            <translation>否</translation>
        </message>
        <message>
            <source>Connecting to %1</source>
            <translation>正在连接到 %1</translation>
        </message>
        <message>
            <source>ssh waits for something that only you can do.</source>
            <translation>ssh 正在等待只有您才能完成的操作。</translation>
        </message>
        <message>
            <source>Key</source>
            <translation>密钥</translation>
        </message>
        <message>
            <source>Fingerprint</source>
            <translation>指纹</translation>
        </message>
        <message>
            <source>Compare with</source>
            <translation>核对命令</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTable</name>
        <message>
            <source>No host is named yet. “Add host” takes a name of your ssh settings, user@host, or an address; process 0 runs on the first.</source>
            <translation>还没有写主机。“添加主机”接受 ssh 设置中的名称、用户@主机或地址；进程 0 在第一台上运行。</translation>
        </message>
        <message>
            <source>Hosts of the job</source>
            <translation>作业的主机</translation>
        </message>
        <message>
            <source>Insert adds a host, Delete removes one, Alt with an arrow moves it</source>
            <translation>Insert 添加主机，Delete 删除主机，Alt 加方向键移动主机</translation>
        </message>
        <message>
            <source>Move the host up</source>
            <translation>主机上移</translation>
        </message>
        <message>
            <source>Move the host down</source>
            <translation>主机下移</translation>
        </message>
        <message>
            <source>Move the chosen host up (Alt+Up)</source>
            <translation>上移所选主机（Alt+Up）</translation>
        </message>
        <message>
            <source>Move the chosen host down (Alt+Down)</source>
            <translation>下移所选主机（Alt+Down）</translation>
        </message>
        <message>
            <source>Add host</source>
            <translation>添加主机</translation>
        </message>
        <message>
            <source>Name a further host that trains (Insert)</source>
            <translation>再写一台参与训练的主机（Insert）</translation>
        </message>
        <message>
            <source>Add spare</source>
            <translation>添加备用</translation>
        </message>
        <message>
            <source>Name a host that takes the place of one that is lost</source>
            <translation>写一台在主机丢失时顶替的主机</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Remove the chosen row (Delete)</source>
            <translation>删除所选行（Delete）</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTableModel</name>
        <message>
            <source>Process %1</source>
            <translation>进程 %1</translation>
        </message>
        <message>
            <source>Processes %1 to %2</source>
            <translation>进程 %1 至 %2</translation>
        </message>
        <message>
            <source>trains</source>
            <translation>训练</translation>
        </message>
        <message>
            <source>evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>spare</source>
            <translation>备用</translation>
        </message>
        <message>
            <source>change of the hosts</source>
            <translation>更改主机</translation>
        </message>
        <message>
            <source>The job has changed since: check again.</source>
            <translation>作业在此之后已更改：请重新检查。</translation>
        </message>
        <message>
            <source>Last check: %1</source>
            <translation>上次检查：%1</translation>
        </message>
        <message>
            <source>with the chief</source>
            <translation>与主进程同机</translation>
        </message>
        <message>
            <source>chosen at launch</source>
            <translation>启动时选定</translation>
        </message>
        <message>
            <source>As ssh takes it: a name of the ssh settings, user@host, or host:port</source>
            <translation>ssh 接受的写法：ssh 设置中的名称、用户@主机或主机:端口</translation>
        </message>
        <message>
            <source>The job does not list an address for each process, so this host's is chosen at launch. To give one, list an address for each process as cluster.job_addresses in the job's text</source>
            <translation>作业没有为每个进程列出地址，因此该主机的地址在启动时选定。如需指定，请在作业文本的 cluster.job_addresses 中为每个进程列出地址</translation>
        </message>
        <message>
            <source>How the other hosts reach it, with a port if it is to be one of yours</source>
            <translation>其他主机如何到达它；如需指定端口，请写上</translation>
        </message>
        <message>
            <source>%1: a port of its own is for one process</source>
            <translation>%1：指定的端口只供一个进程使用</translation>
        </message>
        <message>
            <source>Takes the place of a host that is lost</source>
            <translation>顶替丢失的主机</translation>
        </message>
        <message>
            <source>Scores the checkpoints</source>
            <translation>给检查点评分</translation>
        </message>
        <message>
            <source>Process 0 runs here, with the run's folder; the last host that trains cannot be a spare</source>
            <translation>进程 0 在此运行，运行的文件夹也在此；最后一台训练的主机不能改为备用</translation>
        </message>
        <message>
            <source>not named</source>
            <translation>未命名</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Processes</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Part</source>
            <translation>角色</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::HostTextDelegate</name>
        <message>
            <source>gpu1, or alice@gpu1</source>
            <translation>gpu1 或 alice@gpu1</translation>
        </message>
        <message>
            <source>Names of the ssh settings</source>
            <translation>ssh 设置中的名称</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ImportDialog</name>
        <message>
            <source>Import a cluster</source>
            <translation>导入集群</translation>
        </message>
        <message>
            <source>Paste how another program describes the cluster. Which one it is need not be said.</source>
            <translation>粘贴其他程序对集群的描述，无需说明是哪种程序。</translation>
        </message>
        <message>
            <source>Description of a cluster</source>
            <translation>集群的描述</translation>
        </message>
        <message>
            <source>TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]}, …}'
KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234
jax.distributed.initialize(coordinator_address="10.0.0.1:1234", …)
torchrun --nnodes 2 --master-addr host1 …, or its variables
host1 slots=4          (a hostfile)
node[001-004]          (a Slurm node list)
the manifest of an indexed Kubernetes job</source>
            <translation>TF_CONFIG='{"cluster": {"worker": ["host1:12345", "host2:12345"]}, …}'
KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234
jax.distributed.initialize(coordinator_address="10.0.0.1:1234", …)
torchrun --nnodes 2 --master-addr host1 …，或其环境变量
host1 slots=4          （hostfile 文件）
node[001-004]          （Slurm 节点列表）
Kubernetes 索引作业的清单</translation>
        </message>
        <message>
            <source>Write into the job</source>
            <translation>写入作业</translation>
        </message>
        <message>
            <source>Nothing is pasted yet.</source>
            <translation>尚未粘贴任何内容。</translation>
        </message>
        <message>
            <source>Comments and blanks do not matter; quotes and “export” may stay.</source>
            <translation>注释和空格不影响识别；引号和“export”可以保留。</translation>
        </message>
        <message>
            <source>Note: %1</source>
            <translation>提示：%1</translation>
        </message>
        <message>
            <source>Understood.</source>
            <translation>已识别。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobController</name>
        <message>
            <source>job of %1</source>
            <translation>%1 的作业</translation>
        </message>
        <message>
            <source>Open job</source>
            <translation>打开作业</translation>
        </message>
        <message>
            <source>Job files (*.toml);;All files (*)</source>
            <translation>作业文件 (*.toml);;所有文件 (*)</translation>
        </message>
        <message>
            <source>Save job</source>
            <translation>保存作业</translation>
        </message>
        <message>
            <source>Job files (*.toml)</source>
            <translation>作业文件 (*.toml)</translation>
        </message>
        <message>
            <source>job from %1</source>
            <translation>来自 %1 的作业</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobEditor</name>
        <message>
            <source>edit of the text</source>
            <translation>编辑文本</translation>
        </message>
        <message>
            <source>import of a cluster</source>
            <translation>导入集群</translation>
        </message>
        <message>
            <source>change of %1</source>
            <translation>更改 %1</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Evaluators</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>Checkpoints</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>Own program</source>
            <translation>自己的程序</translation>
        </message>
        <message>
            <source>Every process runs this program; data, model and training are its own.</source>
            <translation>每个进程都运行此程序；数据、模型和训练由程序自行负责。</translation>
        </message>
        <message>
            <source>Launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>Training</source>
            <translation>训练</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobField</name>
        <message>
            <source>not set</source>
            <translation>未设置</translation>
        </message>
        <message>
            <source>Choose …</source>
            <translation>选择…</translation>
        </message>
        <message>
            <source>Choose %1</source>
            <translation>选择“%1”</translation>
        </message>
        <message>
            <source>change of %1</source>
            <translation>更改 %1</translation>
        </message>
        <message>
            <source>line %1</source>
            <translation>第 %1 行</translation>
        </message>
        <message>
            <source>This value comes from %1</source>
            <translation>此值来自 %1</translation>
        </message>
        <message>
            <source>This is the default</source>
            <translation>这是默认值</translation>
        </message>
        <message>
            <source>default</source>
            <translation>默认</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobPage</name>
        <message>
            <source>One process runs %1</source>
            <translation>一个进程运行 %1</translation>
        </message>
        <message>
            <source>%1 processes run %2</source>
            <translation>%1 个进程运行 %2</translation>
        </message>
        <message>
            <source>Batches of %1, for %2 of %3</source>
            <translation>每批 %1 个样本，在 %3 上训练 %2</translation>
        </message>
        <message>
            <source>One replica takes every batch of %1, for %2 of %3</source>
            <translation>一个副本处理每批全部 %1 个样本，在 %3 上训练 %2</translation>
        </message>
        <message>
            <source>%1 replicas take %2 samples each of every batch of %3, for %4 of %5</source>
            <translation>%1 个副本各处理每批 %3 个样本中的 %2 个，在 %5 上训练 %4</translation>
        </message>
        <message>
            <source>Open a job to begin</source>
            <translation>打开一个作业以开始</translation>
        </message>
        <message>
            <source>A job is one file: the cluster, the data, the model and the training plan. The example trains a small network on two replicas of this machine; it needs nothing to download. Home has others to begin with, and what was open last.</source>
            <translation>一个作业就是一个文件：集群、数据、模型和训练方案。示例在本机用两个副本训练一个小型网络，无需下载。“首页”上还有其他可用来入门的作业，以及最近打开的作业。</translation>
        </message>
        <message>
            <source>Open example</source>
            <translation>打开示例</translation>
        </message>
        <message>
            <source>Open job…</source>
            <translation>打开作业…</translation>
        </message>
        <message>
            <source>The job “%1” as the run that is followed was launched with it</source>
            <translation>作业“%1”：启动当前跟踪的运行时所用的版本</translation>
        </message>
        <message>
            <source>Show in text</source>
            <translation>在文本中显示</translation>
        </message>
        <message>
            <source>Show the run's job</source>
            <translation>显示运行的作业</translation>
        </message>
        <message>
            <source>Check hosts</source>
            <translation>检查主机</translation>
        </message>
        <message>
            <source>Examine every host of the job; nothing of it is started</source>
            <translation>检查作业的每台主机；不会启动作业的任何部分</translation>
        </message>
        <message>
            <source>Job form</source>
            <translation>作业表单</translation>
        </message>
        <message>
            <source>1 problem</source>
            <translation>1 个问题</translation>
        </message>
        <message>
            <source>%1 problems</source>
            <translation>%1 个问题</translation>
        </message>
        <message>
            <source>Hosts</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>1 note</source>
            <translation>1 条提示</translation>
        </message>
        <message>
            <source>%1 notes</source>
            <translation>%1 条提示</translation>
        </message>
        <message>
            <source>1 step</source>
            <translation>1 步</translation>
        </message>
        <message>
            <source>%1 steps</source>
            <translation>%1 步</translation>
        </message>
        <message>
            <source>1 epoch</source>
            <translation>1 个轮次</translation>
        </message>
        <message>
            <source>%1 epochs</source>
            <translation>%1 个轮次</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::JobPreview</name>
        <message>
            <source>Job file as text</source>
            <translation>作业文件的文本</translation>
        </message>
        <message>
            <source>Show the job file as text</source>
            <translation>以文本显示作业文件</translation>
        </message>
        <message>
            <source>Form of the job</source>
            <translation>作业的形式</translation>
        </message>
        <message>
            <source>This file</source>
            <translation>此文件</translation>
        </message>
        <message>
            <source>With all defaults</source>
            <translation>含所有默认值</translation>
        </message>
        <message>
            <source>As %1</source>
            <translation>%1 格式</translation>
        </message>
        <message>
            <source>Process that the text is for</source>
            <translation>文本所针对的进程</translation>
        </message>
        <message>
            <source>Text of the job file</source>
            <translation>作业文件的文本</translation>
        </message>
        <message>
            <source>for process %1</source>
            <translation>用于进程 %1</translation>
        </message>
        <message>
            <source>for the evaluator</source>
            <translation>用于评估器</translation>
        </message>
        <message>
            <source>Edits here and in the form are the same.</source>
            <translation>此处与表单中的编辑保持同步。</translation>
        </message>
        <message>
            <source>Read only: derived from this file.</source>
            <translation>只读：由此文件得出。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeepButton</name>
        <message>
            <source>No longer keep</source>
            <translation>不再保留</translation>
        </message>
        <message>
            <source>Keep this one</source>
            <translation>保留此检查点</translation>
        </message>
        <message>
            <source>It goes when newer ones come, as checkpoint.keep says</source>
            <translation>有更新的检查点时，按 checkpoint.keep 删除</translation>
        </message>
        <message>
            <source>Its files stay, whatever checkpoints come after it</source>
            <translation>无论之后有多少检查点，它的文件都会保留</translation>
        </message>
        <message>
            <source>The checkpoint of step %1 stays.</source>
            <translation>第 %1 步的检查点将保留。</translation>
        </message>
        <message>
            <source>The files of the checkpoint of step %1 are gone.</source>
            <translation>第 %1 步检查点的文件已不在。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Kinds</name>
        <message>
            <source>The kind of layer, as Keras names it.</source>
            <translation>层的类型，采用 Keras 的名称。</translation>
        </message>
        <message>
            <source>What its tensors are called after; later layers take its output by it.</source>
            <translation>其张量以此命名；后面的层用此名称取得其输出。</translation>
        </message>
        <message>
            <source>by its place</source>
            <translation>按位置命名</translation>
        </message>
        <message>
            <source>The names of the layers that it takes: ["a", "b"].</source>
            <translation>输入来自哪些层，以名称列出：["a", "b"]。</translation>
        </message>
        <message>
            <source>The name of the layer that it takes; "data" is the sample.</source>
            <translation>输入来自哪一层，以名称表示；"data" 即样本。</translation>
        </message>
        <message>
            <source>what stands before it</source>
            <translation>前一层</translation>
        </message>
        <message>
            <source>Which block stands there.</source>
            <translation>此处放置哪个块。</translation>
        </message>
        <message>
            <source>What “$%1” stands for in the block.</source>
            <translation>块中“$%1”所代表的值。</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>each its own</source>
            <translation>各层自定</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerEditor</name>
        <message>
            <source>Add</source>
            <translation>添加</translation>
        </message>
        <message>
            <source>Add a layer, a residual or a block</source>
            <translation>添加层、残差或块</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>复制一份</translation>
        </message>
        <message>
            <source>Move up</source>
            <translation>上移</translation>
        </message>
        <message>
            <source>Move down</source>
            <translation>下移</translation>
        </message>
        <message>
            <source>Make it a residual</source>
            <translation>改为残差</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>移除</translation>
        </message>
        <message>
            <source>Fold all</source>
            <translation>全部折叠</translation>
        </message>
        <message>
            <source>Unfold all</source>
            <translation>全部展开</translation>
        </message>
        <message>
            <source>%1 … %2</source>
            <translation>%1 … %2</translation>
        </message>
        <message>
            <source>Residual</source>
            <translation>残差</translation>
        </message>
        <message>
            <source>Shortcut of the residual</source>
            <translation>残差的捷径</translation>
        </message>
        <message>
            <source>Use of block %1</source>
            <translation>使用块 %1</translation>
        </message>
        <message>
            <source>New block</source>
            <translation>新建块</translation>
        </message>
        <message>
            <source>Defaults of every %1</source>
            <translation>所有 %1 的默认值</translation>
        </message>
        <message>
            <source>Defaults of a type</source>
            <translation>某一类型的默认值</translation>
        </message>
        <message>
            <source>The block is used</source>
            <translation>此块正在使用中</translation>
        </message>
        <message>
            <source>new layer</source>
            <translation>新建层</translation>
        </message>
        <message>
            <source>new shortcut</source>
            <translation>新建捷径</translation>
        </message>
        <message>
            <source>new block</source>
            <translation>新建块</translation>
        </message>
        <message>
            <source>new defaults</source>
            <translation>新建默认值</translation>
        </message>
        <message>
            <source>move of a layer</source>
            <translation>移动层</translation>
        </message>
        <message>
            <source>copy of a layer</source>
            <translation>复制层</translation>
        </message>
        <message>
            <source>new residual</source>
            <translation>新建残差</translation>
        </message>
        <message>
            <source>removal of a block</source>
            <translation>移除块</translation>
        </message>
        <message>
            <source>removal of a shortcut</source>
            <translation>移除捷径</translation>
        </message>
        <message>
            <source>removal of defaults</source>
            <translation>移除默认值</translation>
        </message>
        <message>
            <source>removal of a layer</source>
            <translation>移除层</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerInspector</name>
        <message>
            <source>Edit as text</source>
            <translation>以文本编辑</translation>
        </message>
        <message>
            <source>Show the block</source>
            <translation>显示块</translation>
        </message>
        <message>
            <source>1 more option</source>
            <translation>另外 1 个选项</translation>
        </message>
        <message>
            <source>%1 more options</source>
            <translation>另外 %1 个选项</translation>
        </message>
        <message>
            <source>A layer without a type</source>
            <translation>未指定类型的层</translation>
        </message>
        <message>
            <source>Residual</source>
            <translation>残差</translation>
        </message>
        <message>
            <source>Shortcut: what the residual's input goes through on its way past the layers</source>
            <translation>捷径：残差的输入绕过各层时所经过的部分</translation>
        </message>
        <message>
            <source>Use of block %1</source>
            <translation>使用块 %1</translation>
        </message>
        <message>
            <source>Block %1: its layers may have “$name” for values that each use gives</source>
            <translation>块 %1：其中的层可用“$name”表示每次使用时给出的值</translation>
        </message>
        <message>
            <source>Blocks: lists of layers that are used by name</source>
            <translation>块：按名称使用的层列表</translation>
        </message>
        <message>
            <source>Defaults: what layers of a type have that do not say otherwise</source>
            <translation>默认值：某一类型的层未另行指定时采用的值</translation>
        </message>
        <message>
            <source>Defaults of every %1</source>
            <translation>所有 %1 的默认值</translation>
        </message>
        <message>
            <source>This is no layer</source>
            <translation>这不是层</translation>
        </message>
        <message>
            <source>Remove what %1 does not have: %2</source>
            <translation>移除 %1 没有的选项：%2</translation>
        </message>
        <message>
            <source>Only a table such as { type = "dense", units = 10 } is a layer: edit this one as text.</source>
            <translation>只有 { type = "dense", units = 10 } 这样的表才是层：请以文本编辑此项。</translation>
        </message>
        <message>
            <source>This list is not written in brackets, so its layers are added, moved and removed in the text.</source>
            <translation>此列表未用方括号书写，因此请在文本中添加、移动和移除其中的层。</translation>
        </message>
        <message>
            <source>renaming of %1</source>
            <translation>重命名 %1</translation>
        </message>
        <message>
            <source>change of %1 in %2</source>
            <translation>更改 %2 中的 %1</translation>
        </message>
        <message>
            <source>removal of options</source>
            <translation>移除选项</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerTree</name>
        <message>
            <source>Layers of the network</source>
            <translation>网络的层</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LayerTreeModel</name>
        <message>
            <source>residual</source>
            <translation>残差</translation>
        </message>
        <message>
            <source>shortcut</source>
            <translation>捷径</translation>
        </message>
        <message>
            <source>Blocks</source>
            <translation>块</translation>
        </message>
        <message>
            <source>Defaults</source>
            <translation>默认值</translation>
        </message>
        <message>
            <source>not a layer</source>
            <translation>不是层</translation>
        </message>
        <message>
            <source>no type</source>
            <translation>无类型</translation>
        </message>
        <message>
            <source>used by name, with parameters</source>
            <translation>按名称使用，可带参数</translation>
        </message>
        <message>
            <source>for every layer of a type</source>
            <translation>用于某一类型的所有层</translation>
        </message>
        <message>
            <source>what passes the layers above</source>
            <translation>绕过上方各层的部分</translation>
        </message>
        <message>
            <source>gives %1</source>
            <translation>输出 %1</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>层</translation>
        </message>
        <message>
            <source>Output</source>
            <translation>输出</translation>
        </message>
        <message>
            <source>Parameters</source>
            <translation>参数量</translation>
        </message>
        <message>
            <source>move of a layer</source>
            <translation>移动层</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LineDelegate</name>
        <message>
            <source>%1 lines</source>
            <translation>%1 行</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveChart</name>
        <message>
            <source>%1, step %2</source>
            <translation>%1，第 %2 步</translation>
        </message>
        <message>
            <source>Nothing measured yet</source>
            <translation>尚无测量数据</translation>
        </message>
        <message>
            <source>Chart of %1</source>
            <translation>“%1”图表</translation>
        </message>
        <message>
            <source>newest %1</source>
            <translation>最新值 %1</translation>
        </message>
        <message>
            <source>Epoch</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>Time since the first step, without pauses</source>
            <translation>自第一步起的时间，不含停顿</translation>
        </message>
        <message>
            <source>Time of day</source>
            <translation>时刻</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>%1 others</source>
            <translation>其他 %1 个</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>及另外 %1 个</translation>
        </message>
        <message>
            <source>%1 (%2)</source>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>curves without a place on this axis: %1</source>
            <translation>无法在此轴上定位的曲线：%1</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>均值</translation>
        </message>
        <message>
            <source>Highest: %1</source>
            <translation>最高：%1</translation>
        </message>
        <message>
            <source>Lowest: %1</source>
            <translation>最低：%1</translation>
        </message>
        <message>
            <source>%1 more between</source>
            <translation>其间还有 %1 条</translation>
        </message>
        <message>
            <source>%1, %2 more not finite</source>
            <translation>%1，另有 %2 个非有限值</translation>
        </message>
        <message>
            <source>epoch %1 · step %2</source>
            <translation>轮次 %1 · 第 %2 步</translation>
        </message>
        <message>
            <source>%1 · step %2</source>
            <translation>%1 · 第 %2 步</translation>
        </message>
        <message>
            <source>step %1</source>
            <translation>第 %1 步</translation>
        </message>
        <message>
            <source>first at step %1 →</source>
            <translation>首个在第 %1 步 →</translation>
        </message>
        <message>
            <source>← newest at step %1</source>
            <translation>← 最新在第 %1 步</translation>
        </message>
        <message>
            <source>%1 · smoothed</source>
            <translation>%1 · 已平滑</translation>
        </message>
        <message>
            <source>%1 · as reported</source>
            <translation>%1 · 原始值</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveFeed</name>
        <message>
            <source>Replica %1</source>
            <translation>副本 %1</translation>
        </message>
        <message>
            <source>%1 (without a mark of their own: %2 more)</source>
            <translation>%1（另有未单独标记的次数：%2）</translation>
        </message>
        <message>
            <source>Mean</source>
            <translation>均值</translation>
        </message>
        <message>
            <source>end of epoch %1</source>
            <translation>轮次 %1 结束</translation>
        </message>
        <message>
            <source>checkpoint of step %1, deleted since</source>
            <translation>第 %1 步的检查点，后已删除</translation>
        </message>
        <message>
            <source>checkpoint of step %1</source>
            <translation>第 %1 步的检查点</translation>
        </message>
        <message>
            <source>started again after step %1</source>
            <translation>在第 %1 步后重启</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 失联：%2</translation>
        </message>
        <message>
            <source>drill: %1 of process %2</source>
            <translation>演练：进程 %2 的 %1</translation>
        </message>
        <message>
            <source>Validation</source>
            <translation>验证</translation>
        </message>
        <message>
            <source>click: go to that moment</source>
            <translation>单击：转到那一刻</translation>
        </message>
        <message>
            <source>click: how the checkpoint scores</source>
            <translation>单击：查看该检查点的得分</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>测试</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LaneCard</name>
        <message>
            <source>Steps of the processes</source>
            <translation>各进程的步</translation>
        </message>
        <message>
            <source>Hide the steps</source>
            <translation>隐藏步</translation>
        </message>
        <message>
            <source>Show the steps</source>
            <translation>显示步</translation>
        </message>
        <message>
            <source>Show or hide the steps</source>
            <translation>显示或隐藏步</translation>
        </message>
        <message>
            <source>Heartbeats of the processes</source>
            <translation>进程的心跳</translation>
        </message>
        <message>
            <source>Show or hide the heartbeats</source>
            <translation>显示或隐藏心跳</translation>
        </message>
        <message>
            <source>Hide the heartbeats</source>
            <translation>隐藏心跳</translation>
        </message>
        <message>
            <source>Show the heartbeats</source>
            <translation>显示心跳</translation>
        </message>
        <message>
            <source>silent</source>
            <translation>无响应</translation>
        </message>
        <message>
            <source>lost</source>
            <translation>失联</translation>
        </message>
        <message>
            <source>Show the charts, too</source>
            <translation>同时显示图表</translation>
        </message>
        <message>
            <source>Show only these lanes</source>
            <translation>仅显示这些泳道</translation>
        </message>
        <message>
            <source>%1 (Esc)</source>
            <translation>%1（Esc）</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LivePage</name>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>Throughput of a replica</source>
            <translation>单个副本的吞吐量</translation>
        </message>
        <message>
            <source>samples/s</source>
            <translation>样本/s</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>单步耗时</translation>
        </message>
        <message>
            <source>ms</source>
            <translation>ms</translation>
        </message>
        <message>
            <source>Points appear with the first step</source>
            <translation>第一步之后出现数据点</translation>
        </message>
        <message>
            <source>Since the first step, without the pauses between the starts of the run</source>
            <translation>自第一步起，不含各次启动之间的停顿</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>跟随</translation>
        </message>
        <message>
            <source>Go on with the newest steps, and the present of the heartbeats</source>
            <translation>跟随最新的步和心跳的当前时刻</translation>
        </message>
        <message>
            <source>Steps shown</source>
            <translation>显示哪些步</translation>
        </message>
        <message>
            <source>All steps</source>
            <translation>所有步</translation>
        </message>
        <message>
            <source>Last %1</source>
            <translation>最近 %1 步</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>未报告任何步</translation>
        </message>
        <message>
            <source>Points appear when the program reports its first step</source>
            <translation>程序报告第一步后出现数据点</translation>
        </message>
        <message>
            <source>No accuracy was reported</source>
            <translation>未报告准确率</translation>
        </message>
        <message>
            <source>No accuracy reported yet</source>
            <translation>尚未报告准确率</translation>
        </message>
        <message>
            <source>Nothing runs yet</source>
            <translation>尚无运行</translation>
        </message>
        <message>
            <source>Launch the job, and loss, accuracy, throughput and step time of every replica are drawn here as they come. Every point is kept: zoom while it streams.</source>
            <translation>启动作业后，每个副本的损失、准确率、吞吐量和单步耗时会实时绘制在这里。每个数据点都会保留：数据到来的同时也可以缩放。</translation>
        </message>
        <message>
            <source>Figures that have no chart here: %1. lockstepctl export has them all.</source>
            <translation>此处没有图表的指标：%1。lockstepctl export 可导出全部指标。</translation>
        </message>
        <message>
            <source>Figures whose charts lack their first values: %1. lockstepctl export has them all.</source>
            <translation>图表缺少最初数值的指标：%1。lockstepctl export 可导出全部指标。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LiveRunsOffer</name>
        <message>
            <source>“%1” is running.</source>
            <translation>“%1”正在运行。</translation>
        </message>
        <message>
            <source>%1 jobs are running.</source>
            <translation>%1 个作业正在运行。</translation>
        </message>
        <message>
            <source>Open it</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Open %1</source>
            <translation>打开“%1”</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogModel</name>
        <message>
            <source>Time</source>
            <translation>时间</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Level</source>
            <translation>级别</translation>
        </message>
        <message>
            <source>Message</source>
            <translation>消息</translation>
        </message>
        <message>
            <source>Not finished yet</source>
            <translation>尚未结束</translation>
        </message>
        <message>
            <source>Line %1</source>
            <translation>第 %1 行</translation>
        </message>
        <message>
            <source>%1, %2. A click puts the charts' crosshair there.</source>
            <translation>%1，%2。单击可将图表的十字线移到此处。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogPattern</name>
        <message>
            <source>Not a regular expression: %1, at character %2</source>
            <translation>不是正则表达式：%1，位于第 %2 个字符</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::LogsPage</name>
        <message>
            <source>Show lines of one process</source>
            <translation>显示一个进程的日志行</translation>
        </message>
        <message>
            <source>All processes</source>
            <translation>所有进程</translation>
        </message>
        <message>
            <source>Least level shown</source>
            <translation>显示的最低级别</translation>
        </message>
        <message>
            <source>Debug and above</source>
            <translation>调试及以上</translation>
        </message>
        <message>
            <source>Info and above</source>
            <translation>信息及以上</translation>
        </message>
        <message>
            <source>Warnings and errors</source>
            <translation>警告和错误</translation>
        </message>
        <message>
            <source>Errors only</source>
            <translation>仅错误</translation>
        </message>
        <message>
            <source>Follow</source>
            <translation>跟随</translation>
        </message>
        <message>
            <source>Keep the newest line in view</source>
            <translation>始终显示最新一行</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Copy the chosen lines, or all that are shown</source>
            <translation>复制选中的行，或当前显示的所有行</translation>
        </message>
        <message>
            <source>Log lines</source>
            <translation>日志行</translation>
        </message>
        <message>
            <source>Copy lines</source>
            <translation>复制日志行</translation>
        </message>
        <message>
            <source>No log lines yet</source>
            <translation>尚无日志行</translation>
        </message>
        <message>
            <source>What every process of the job writes appears here in one list, with the process that wrote it. Launch a job or attach to a run.</source>
            <translation>作业的每个进程写出的内容都汇集在此列表中，并标明写出它的进程。请启动作业或附加到一个运行。</translation>
        </message>
        <message>
            <source>%1 line</source>
            <translation>%1 行</translation>
        </message>
        <message>
            <source>%1 lines</source>
            <translation>%1 行</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1/%2</translation>
        </message>
        <message>
            <source>Show only lines with…</source>
            <translation>只显示包含…的行</translation>
        </message>
        <message>
            <source>Show only lines with this text</source>
            <translation>只显示包含此文本的行</translation>
        </message>
        <message>
            <source>Show this moment on Live</source>
            <translation>在“实时”页显示此时刻</translation>
        </message>
        <message>
            <source>The process that failed wrote no line.</source>
            <translation>失败的进程没有写过任何一行。</translation>
        </message>
        <message>
            <source>%1. The lines stay as they are.</source>
            <translation>%1。各行保持不变。</translation>
        </message>
        <message>
            <source>The filter holds that line back. This is the next one that it lets through.</source>
            <translation>该行被过滤器隐藏。这是下一个通过过滤的行。</translation>
        </message>
        <message>
            <source>1 line</source>
            <translation>1 行</translation>
        </message>
        <message>
            <source>Copied %1.</source>
            <translation>已复制 %1。</translation>
        </message>
        <message>
            <source>Copied %1 of %2. The run's folder has all of them in logs/, a file for each process.</source>
            <translation>已复制 %1，共 %2。运行目录的 logs/ 中有全部，每个进程一个文件。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::MainWindow</name>
        <message>
            <source>The hosts cannot be checked yet.</source>
            <translation>暂时无法检查主机。</translation>
        </message>
        <message>
            <source>Lockstep</source>
            <translation>Lockstep</translation>
        </message>
        <message>
            <source>No run is open.</source>
            <translation>未打开任何运行。</translation>
        </message>
        <message>
            <source>Open a job to begin.</source>
            <translation>请打开一个作业以开始。</translation>
        </message>
        <message>
            <source>has problems</source>
            <translation>有问题</translation>
        </message>
        <message>
            <source>Show log</source>
            <translation>显示日志</translation>
        </message>
        <message>
            <source>a job without a file</source>
            <translation>未存为文件的作业</translation>
        </message>
        <message>
            <source>Changes of %1 were not saved the last time.</source>
            <translation>上次有更改未保存：%1。</translation>
        </message>
        <message>
            <source>Recover them, or dismiss this to give them up.</source>
            <translation>请恢复这些更改；忽略此消息则会放弃它们。</translation>
        </message>
        <message>
            <source>Recover</source>
            <translation>恢复更改</translation>
        </message>
        <message>
            <source>A folder for the runs of all jobs</source>
            <translation>选择存放所有运行的文件夹</translation>
        </message>
        <message>
            <source>Attach to run folder</source>
            <translation>附加到运行文件夹</translation>
        </message>
        <message>
            <source>Home</source>
            <translation>首页</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>实时</translation>
        </message>
        <message>
            <source>Replicas</source>
            <translation>副本</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>Logs</source>
            <translation>日志</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>From the next start: %1</source>
            <translation>下次启动时生效：%1</translation>
        </message>
        <message>
            <source>Replay the last 30 s</source>
            <translation>回放最后 30 秒</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ModelCard</name>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Fold all blocks of the picture</source>
            <translation>折叠图中的所有块</translation>
        </message>
        <message>
            <source>Unfold all blocks of the picture</source>
            <translation>展开图中的所有块</translation>
        </message>
        <message>
            <source>Smaller (−)</source>
            <translation>缩小（−）</translation>
        </message>
        <message>
            <source>Larger (+)</source>
            <translation>放大（+）</translation>
        </message>
        <message>
            <source>Fit the width (0)</source>
            <translation>适合宽度（0）</translation>
        </message>
        <message>
            <source>1 layer</source>
            <translation>1 层</translation>
        </message>
        <message>
            <source>%1 layers</source>
            <translation>%1 层</translation>
        </message>
        <message>
            <source>%1 parameters</source>
            <translation>%1 个参数</translation>
        </message>
        <message>
            <source>%1FLOP a sample</source>
            <translation>每个样本 %1FLOP</translation>
        </message>
        <message>
            <source>The picture is of the last text that was a network.</source>
            <translation>此图对应最近一次有效的网络定义。</translation>
        </message>
        <message>
            <source>The picture is of the last text that was a network. %1</source>
            <translation>此图对应最近一次有效的网络定义。%1</translation>
        </message>
        <message>
            <source>For samples of %1.</source>
            <translation>样本：%1。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::NavigationRail</name>
        <message>
            <source>Pages</source>
            <translation>页面</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Network</name>
        <message>
            <source>%1 tokens</source>
            <translation>%1 个词元</translation>
        </message>
        <message>
            <source>%1 numbers</source>
            <translation>%1 个数值</translation>
        </message>
        <message>
            <source>%1 and the column %2</source>
            <translation>%1 及列 %2</translation>
        </message>
        <message>
            <source>%1 and the columns %2</source>
            <translation>%1 及列 %2</translation>
        </message>
        <message>
            <source>%1 classes</source>
            <translation>%1 个类别</translation>
        </message>
        <message>
            <source>vocabulary of %1</source>
            <translation>词表大小 %1</translation>
        </message>
        <message>
            <source>1 number</source>
            <translation>1 个数值</translation>
        </message>
        <message>
            <source>%1 (supposed: the data were not found yet)</source>
            <translation>%1（假定：尚未找到数据）</translation>
        </message>
        <message>
            <source>What the data are like is not known yet.</source>
            <translation>尚不清楚数据的形式。</translation>
        </message>
        <message>
            <source>What the data are like is not known yet: %1</source>
            <translation>尚不清楚数据的形式：%1</translation>
        </message>
        <message>
            <source>%1 shapes</source>
            <translation>%1 种形状</translation>
        </message>
        <message>
            <source>data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>column</source>
            <translation>列</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::NoticeBar</name>
        <message>
            <source>Copy details</source>
            <translation>复制详情</translation>
        </message>
        <message>
            <source>Dismiss</source>
            <translation>忽略</translation>
        </message>
        <message>
            <source>Dismiss this message</source>
            <translation>忽略此消息</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::OptionField</name>
        <message>
            <source>%1 (default)</source>
            <translation>%1（默认）</translation>
        </message>
        <message>
            <source>not set</source>
            <translation>未设置</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ParallelPlot</name>
        <message>
            <source>Settings and results of the runs, an axis each</source>
            <translation>各次运行的设置与结果，每项一条轴</translation>
        </message>
        <message>
            <source>Drag along an axis to choose the runs that pass there; a click chooses one</source>
            <translation>沿轴拖动可选中经过该处的运行；单击选中一个</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PatternEdit</name>
        <message>
            <source>Match case</source>
            <translation>区分大小写</translation>
        </message>
        <message>
            <source>Regular expression</source>
            <translation>正则表达式</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PhaseBar</name>
        <message>
            <source>Phases of a step</source>
            <translation>一步的各阶段</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::PhaseLegend</name>
        <message>
            <source>Phases of a step</source>
            <translation>一步的各阶段</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ProgressStrip</name>
        <message>
            <source>Progress</source>
            <translation>进度</translation>
        </message>
        <message>
            <source>of unknown length</source>
            <translation>长度未知</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::QuestionCard</name>
        <message>
            <source>Ask the network</source>
            <translation>用网络预测</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>Predict</source>
            <translation>预测</translation>
        </message>
        <message>
            <source>Paste rows</source>
            <translation>粘贴行</translation>
        </message>
        <message>
            <source>Ask about the rows that were copied from a spreadsheet or a CSV file, with or without their header</source>
            <translation>对从电子表格或 CSV 文件复制的行进行预测，有无表头均可</translation>
        </message>
        <message>
            <source>How freely tokens are drawn; 0: always the likeliest one</source>
            <translation>词元抽取的随机程度；0：总是取最可能的词元</translation>
        </message>
        <message>
            <source>Decides what is drawn</source>
            <translation>决定抽取的结果</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>词元数</translation>
        </message>
        <message>
            <source>Temperature</source>
            <translation>温度</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>随机种子</translation>
        </message>
        <message>
            <source>Prompt</source>
            <translation>提示词</translation>
        </message>
        <message>
            <source>A text to be continued</source>
            <translation>要续写的文本</translation>
        </message>
        <message>
            <source>Continue</source>
            <translation>续写</translation>
        </message>
        <message>
            <source>Reading the checkpoint …</source>
            <translation>正在读取检查点…</translation>
        </message>
        <message>
            <source>Drop images here</source>
            <translation>将图像拖放到这里</translation>
        </message>
        <message>
            <source>JPEG, PNG, a folder of them, or an IDX file of images; all are brought to the network's size.</source>
            <translation>JPEG、PNG、包含它们的文件夹，或 IDX 图像文件；都会调整为网络的输入尺寸。</translation>
        </message>
        <message>
            <source>Or drop CSV files with these columns</source>
            <translation>或拖放含有这些列的 CSV 文件</translation>
        </message>
        <message>
            <source>Or drop files that each hold a prompt</source>
            <translation>或拖放文件，每个文件是一段提示词</translation>
        </message>
        <message>
            <source>The network takes numbers that come from no table, which cannot be typed here. Export it as ONNX to run it in a program of yours.</source>
            <translation>此网络接收的数值并非来自表格，无法在此输入。请将其导出为 ONNX，在自己的程序中运行。</translation>
        </message>
        <message>
            <source>Nothing was copied: copy rows from a spreadsheet or a CSV file first.</source>
            <translation>没有复制任何内容：请先从电子表格或 CSV 文件中复制若干行。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReadoutTable</name>
        <message>
            <source>and others</source>
            <translation>及其他</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>及另外 %1 个</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaChips</name>
        <message>
            <source>Replicas</source>
            <translation>副本</translation>
        </message>
        <message>
            <source>Show %1</source>
            <translation>显示“%1”</translation>
        </message>
        <message>
            <source>Click shows or hides %1, Ctrl+click shows it alone</source>
            <translation>单击可显示或隐藏“%1”，Ctrl+单击则只显示它</translation>
        </message>
        <message>
            <source>More</source>
            <translation>更多</translation>
        </message>
        <message>
            <source>%1 replicas</source>
            <translation>%1 个副本</translation>
        </message>
        <message>
            <source>%1 others</source>
            <translation>其他 %1 个</translation>
        </message>
        <message>
            <source>More replicas</source>
            <translation>更多副本</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaMap</name>
        <message>
            <source>Coloured by</source>
            <translation>着色依据</translation>
        </message>
        <message>
            <source>Own work</source>
            <translation>自身耗时</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>单步耗时</translation>
        </message>
        <message>
            <source>Phase</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Silence</source>
            <translation>无响应时长</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Processor</source>
            <translation>处理器</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>Map of the replicas, a row a host</source>
            <translation>副本分布图，每行一台主机</translation>
        </message>
        <message>
            <source>E</source>
            <translation>评</translation>
        </message>
        <message>
            <source>%1 on %2</source>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>Own work: the newest step without waiting for the others. Beneath the line: what the replicas report under names of their own</source>
            <translation>自身工作：最新一步，不含等待其他副本的时间。横线以下：副本以自定名称上报的数值</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>准确率</translation>
        </message>
        <message>
            <source>%1: it has not said it</source>
            <translation>%1：尚未上报</translation>
        </message>
        <message>
            <source>%1: it said no finite number</source>
            <translation>%1：上报的不是有限数值</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaPanel</name>
        <message>
            <source>Close the details</source>
            <translation>关闭详情</translation>
        </message>
        <message>
            <source>Close (Escape)</source>
            <translation>关闭（Esc）</translation>
        </message>
        <message>
            <source>Host</source>
            <translation>主机</translation>
        </message>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>Phases of the newest step</source>
            <translation>最新一步的各阶段</translation>
        </message>
        <message>
            <source>Step time, newest 512 steps</source>
            <translation>单步耗时，最新 512 步</translation>
        </message>
        <message>
            <source>Loss, newest 512 steps</source>
            <translation>损失，最新 512 步</translation>
        </message>
        <message>
            <source>Last log lines</source>
            <translation>最近的日志行</translation>
        </message>
        <message>
            <source>Last log lines of this process</source>
            <translation>此进程最近的日志行</translation>
        </message>
        <message>
            <source>It has written nothing yet.</source>
            <translation>尚未写出任何内容。</translation>
        </message>
        <message>
            <source>Drill…</source>
            <translation>演练…</translation>
        </message>
        <message>
            <source>Make a fault in this process on purpose</source>
            <translation>故意在此进程中制造一个故障</translation>
        </message>
        <message>
            <source>%1, %2 % of a processor</source>
            <translation>%1，处理器占用 %2 %</translation>
        </message>
        <message>
            <source>%1, %2 %, %3 °C, %4 W</source>
            <translation>%1，%2 %，%3 °C，%4 W</translation>
        </message>
        <message>
            <source>, slowed: %1</source>
            <translation>，已降速：%1</translation>
        </message>
        <message>
            <source>, %1 memory errors</source>
            <translation>，%1 个内存错误</translation>
        </message>
        <message>
            <source>%1, GPU %2 of %3</source>
            <translation>%1，GPU %2/%3</translation>
        </message>
        <message>
            <source>pid %1</source>
            <translation>PID %1</translation>
        </message>
        <message>
            <source>not started</source>
            <translation>未启动</translation>
        </message>
        <message>
            <source>Step time %1, newest 512 steps</source>
            <translation>单步耗时 %1，最新 512 步</translation>
        </message>
        <message>
            <source>Loss %1, newest 512 steps</source>
            <translation>损失 %1，最新 512 步</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicaTableModel</name>
        <message>
            <source>Process</source>
            <translation>进程</translation>
        </message>
        <message>
            <source>Role</source>
            <translation>角色</translation>
        </message>
        <message>
            <source>Address</source>
            <translation>地址</translation>
        </message>
        <message>
            <source>Device</source>
            <translation>设备</translation>
        </message>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Heartbeat</source>
            <translation>心跳</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Loss</source>
            <translation>损失</translation>
        </message>
        <message>
            <source>Step time</source>
            <translation>单步耗时</translation>
        </message>
        <message>
            <source>Phases</source>
            <translation>阶段</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReplicasPage</name>
        <message>
            <source>Replicas</source>
            <translation>副本</translation>
        </message>
        <message>
            <source>No replicas yet</source>
            <translation>尚无副本</translation>
        </message>
        <message>
            <source>Each replica of the job has a row here: its state in words, its last heartbeat, its step and how its time divides. A lost or stuck one is named.</source>
            <translation>作业的每个副本在这里占一行：状态说明、最近一次心跳、所在的步，以及时间的分配。失联或卡住的副本会被指出。</translation>
        </message>
        <message>
            <source>Table</source>
            <translation>表格</translation>
        </message>
        <message>
            <source>Map</source>
            <translation>分布图</translation>
        </message>
        <message>
            <source>Show the replicas as</source>
            <translation>副本的显示方式</translation>
        </message>
        <message>
            <source>Choose one for its memory, its newest steps and its last log lines.</source>
            <translation>选择一个副本，可查看其内存、最新的步和最近的日志行。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ReportHint</name>
        <message>
            <source>Copy the lines</source>
            <translation>复制这些代码</translation>
        </message>
        <message>
            <source>Lines for the program</source>
            <translation>加入程序的代码</translation>
        </message>
        <message>
            <source>Copied</source>
            <translation>已复制</translation>
        </message>
        <message>
            <source>Three lines show its loss, and any other figure, here as they come. Python 3.8 is all they need.</source>
            <translation>加入三行代码，程序的损失和任何其他指标就会实时显示在这里。只需要 Python 3.8。</translation>
        </message>
        <message>
            <source>With Keras, one callback reports every metric:</source>
            <translation>使用 Keras 时，一个回调即可报告所有指标：</translation>
        </message>
        <message>
            <source>The program reported nothing</source>
            <translation>程序未报告任何内容</translation>
        </message>
        <message>
            <source>The program runs and has reported nothing yet</source>
            <translation>程序正在运行，尚未报告任何内容</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunController</name>
        <message>
            <source>%1, at step %2</source>
            <translation>%1，在第 %2 步</translation>
        </message>
        <message>
            <source>%1 (%2): %3; noticed after %4</source>
            <translation>%1（%2）：%3；%4 后发现</translation>
        </message>
        <message>
            <source>in a former start: %1</source>
            <translation>在先前的一次启动中：%1</translation>
        </message>
        <message>
            <source>Nothing was started.</source>
            <translation>没有启动任何进程。</translation>
        </message>
        <message>
            <source>The Logs page shows what it wrote last.</source>
            <translation>“日志”页面显示其最后写出的内容。</translation>
        </message>
        <message>
            <source>The Logs page shows what it wrote last. Resume goes on from step %1.</source>
            <translation>“日志”页面显示其最后写出的内容。“恢复”会从第 %1 步继续。</translation>
        </message>
        <message>
            <source>Open a job first.</source>
            <translation>请先打开一个作业。</translation>
        </message>
        <message>
            <source>A run goes on in this window. Stop it, or close it with %1; a detached one goes on by itself.</source>
            <translation>此窗口中有正在进行的运行。请停止它，或用 %1 关闭它；已分离的运行会自行继续。</translation>
        </message>
        <message>
            <source>The job cannot be launched yet.</source>
            <translation>暂时无法启动作业。</translation>
        </message>
        <message>
            <source>“%1” goes on without this window. Follow it again: %2</source>
            <translation>“%1”在此窗口关闭后继续运行。重新跟踪：%2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunIndex</name>
        <message>
            <source>What was read of runs is not kept for the next start: Qt's driver for SQLite is missing (Debian: libqt6sql6-sqlite).</source>
            <translation>已读取的运行信息无法留到下次启动时使用：缺少 Qt 的 SQLite 驱动（Debian：libqt6sql6-sqlite）。</translation>
        </message>
        <message>
            <source>What was read of runs is not kept for the next start: %1: %2</source>
            <translation>已读取的运行信息无法留到下次启动时使用：%1：%2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunNews</name>
        <message>
            <source>%1: the best so far</source>
            <translation>%1：迄今最佳</translation>
        </message>
        <message>
            <source>Validation loss %1 in epoch %2.</source>
            <translation>轮次 %2 的验证损失为 %1。</translation>
        </message>
        <message>
            <source>%1 begins again</source>
            <translation>%1：重新开始</translation>
        </message>
        <message>
            <source>%1 needs attention</source>
            <translation>%1：需要关注</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunTrash</name>
        <message>
            <source>%1 runs, or may go on where it is not seen from here. Stop it first; open it to see how it is.</source>
            <translation>%1 正在运行，或可能仍在此处无法看到的地方运行。请先停止它；打开它可查看其状态。</translation>
        </message>
        <message>
            <source>%1 cannot be moved to the trash: there is none on its disk, or the folder may not be changed.</source>
            <translation>%1 无法移到回收站：其所在磁盘没有回收站，或该文件夹不可更改。</translation>
        </message>
        <message>
            <source>%1 is there again already.</source>
            <translation>%1 已经在原处。</translation>
        </message>
        <message>
            <source>%1 is no longer in the trash.</source>
            <translation>%1 已不在回收站中。</translation>
        </message>
        <message>
            <source>%1 cannot be put back: its place is gone, or may not be changed.</source>
            <translation>%1 无法还原：其原位置已不存在，或不可更改。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunWarnings</name>
        <message>
            <source>Warnings before it: %1. The log has them all.</source>
            <translation>在此之前的警告：%1。日志中有全部警告。</translation>
        </message>
        <message>
            <source>Show log</source>
            <translation>显示日志</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsAxes</name>
        <message>
            <source>%1 runs are too many lines; type above what they are to have, until %2 are left.</source>
            <translation>%1 次运行的线条太多；请在上方输入条件，直到剩下 %2 次。</translation>
        </message>
        <message>
            <source>Axes need two runs or more that differ in two settings or results, or more. Columns, above, chooses the settings.</source>
            <translation>至少需要两次运行，且在两项以上的设置或结果上不同，才能画出轴。可在上方的“列”中选择设置。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsModel</name>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>completed</source>
            <translation>已完成</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>interrupted</source>
            <translation>已中断</translation>
        </message>
        <message>
            <source>unknown</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>Nothing was tested</source>
            <translation>未进行测试</translation>
        </message>
        <message>
            <source>%1 of the test data; %2 is better</source>
            <translation>%1（测试数据）；%2越好</translation>
        </message>
        <message>
            <source>higher</source>
            <translation>越高</translation>
        </message>
        <message>
            <source>lower</source>
            <translation>越低</translation>
        </message>
        <message>
            <source>%1. The best of %2 runs of %3.</source>
            <translation>%1。%3 的 %2 次运行中最佳。</translation>
        </message>
        <message>
            <source>%1  %2</source>
            <translation>%1  %2</translation>
        </message>
        <message>
            <source>Nothing was validated</source>
            <translation>未进行任何验证</translation>
        </message>
        <message>
            <source>The best after an epoch, of the validation data</source>
            <translation>各轮次之后在验证数据上的最佳值</translation>
        </message>
        <message>
            <source>Of a run that was resumed: its newest start</source>
            <translation>恢复过的运行：最近一次启动</translation>
        </message>
        <message>
            <source>All starts of a run together; its newest start alone where one of them left no summary</source>
            <translation>运行的所有启动合计；如有一次启动未留下摘要，则只计最近一次</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Status</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>Started</source>
            <translation>启动时间</translation>
        </message>
        <message>
            <source>Took</source>
            <translation>用时</translation>
        </message>
        <message>
            <source>Best validation</source>
            <translation>最佳验证</translation>
        </message>
        <message>
            <source>Test score</source>
            <translation>测试得分</translation>
        </message>
        <message>
            <source>Run folder</source>
            <translation>运行文件夹</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Tags</source>
            <translation>标签</translation>
        </message>
        <message>
            <source>%1 of the validation data: first %2, best %3, last %4</source>
            <translation>%1（验证数据）：最初 %2，最佳 %3，最后 %4</translation>
        </message>
        <message>
            <source>Curve</source>
            <translation>曲线</translation>
        </message>
        <message>
            <source>What Best validation is the best of, epoch by epoch</source>
            <translation>逐轮显示“最佳验证”所取自的各个值</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsPage</name>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>Open run</source>
            <translation>打开运行</translation>
        </message>
        <message>
            <source>Follow the chosen run, or look at it when it has ended (Return)</source>
            <translation>跟踪选中的运行；已结束的则打开查看（回车）</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>比较</translation>
        </message>
        <message>
            <source>Name, tags and note …</source>
            <translation>名称、标签和备注…</translation>
        </message>
        <message>
            <source>What the run is called, found by and remembered for (F2)</source>
            <translation>为运行命名、添加标签和备注，便于查找和记忆（F2）</translation>
        </message>
        <message>
            <source>Open its folder</source>
            <translation>打开其文件夹</translation>
        </message>
        <message>
            <source>Write the chosen run as one page, with its curves and its job file, to hand to others</source>
            <translation>将选中的运行写成一个网页，含曲线和作业文件，便于交给他人</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Move the chosen runs to the trash (Del)</source>
            <translation>将选中的运行移到回收站（Del）</translation>
        </message>
        <message>
            <source>Filter (Ctrl+F): digits failed learning_rate=0.01</source>
            <translation>筛选（Ctrl+F）：digits failed learning_rate=0.01</translation>
        </message>
        <message>
            <source>Filter runs by words</source>
            <translation>按词筛选运行</translation>
        </message>
        <message>
            <source>Refresh</source>
            <translation>刷新</translation>
        </message>
        <message>
            <source>Read the runs folder again (F5)</source>
            <translation>重新读取运行文件夹（F5）</translation>
        </message>
        <message>
            <source>No run matches</source>
            <translation>没有匹配的运行</translation>
        </message>
        <message>
            <source>Every word that is typed must be found: in the name of the job, the status, the date, the folder, what you say of the run, or a value of its settings.</source>
            <translation>输入的每个词都必须能找到：在作业名称、状态、日期、文件夹、您对运行的描述，或某项设置的值中。</translation>
        </message>
        <message>
            <source>Show all runs</source>
            <translation>显示所有运行</translation>
        </message>
        <message>
            <source>No runs listed</source>
            <translation>尚无运行记录</translation>
        </message>
        <message>
            <source>Every launch gets a folder with its job, log, checkpoints and history. They are listed here, and a run that still runs can be followed again.</source>
            <translation>每次启动都有一个文件夹，存放作业、日志、检查点和历史。它们列在这里，仍在进行的运行可以重新跟踪。</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1/%2 次运行</translation>
        </message>
        <message>
            <source>1 run</source>
            <translation>1 次运行</translation>
        </message>
        <message>
            <source>%1 runs</source>
            <translation>%1 次运行</translation>
        </message>
        <message>
            <source>Compare with the best</source>
            <translation>与最佳运行比较</translation>
        </message>
        <message>
            <source>Its curves beside those of the best other run of its job (Ctrl+Return)</source>
            <translation>将其曲线与同一作业中最佳的另一次运行并列（Ctrl+回车）</translation>
        </message>
        <message>
            <source>Choose 2 to %1 runs, with Ctrl or Shift: their curves on the same charts, and what differs in their jobs (Ctrl+Return)</source>
            <translation>用 Ctrl 或 Shift 选择 2 到 %1 次运行：在同一图表上比较曲线，并列出作业的差异（Ctrl+回车）</translation>
        </message>
        <message>
            <source>This run is open in the window.</source>
            <translation>此运行已在窗口中打开。</translation>
        </message>
        <message>
            <source>One is open in the window and stays. </source>
            <translation>其中一次运行已在窗口中打开，予以保留。</translation>
        </message>
        <message>
            <source>Nothing was deleted.</source>
            <translation>没有删除任何运行。</translation>
        </message>
        <message>
            <source>%1 is in the trash.</source>
            <translation>%1 已移到回收站。</translation>
        </message>
        <message>
            <source>%1 runs are in the trash.</source>
            <translation>%1 次运行已移到回收站。</translation>
        </message>
        <message>
            <source>Close it (Run, Close this run), then delete it.</source>
            <translation>请先将其关闭（“运行”菜单中的“关闭此运行”），再删除。</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>撤销</translation>
        </message>
        <message>
            <source>Not all is back.</source>
            <translation>未能全部还原。</translation>
        </message>
        <message>
            <source>List</source>
            <translation>列表</translation>
        </message>
        <message>
            <source>Axes</source>
            <translation>轴</translation>
        </message>
        <message>
            <source>Show the runs as</source>
            <translation>运行的显示方式</translation>
        </message>
        <message>
            <source>A list, or an axis for each setting and result with a line for each run</source>
            <translation>列表，或每项设置与结果一条轴、每次运行一条线</translation>
        </message>
        <message>
            <source>Open its job</source>
            <translation>打开其作业</translation>
        </message>
        <message>
            <source>A copy of its job file, to be changed and launched anew (Ctrl+J)</source>
            <translation>其作业文件的副本，可修改后重新启动 (Ctrl+J)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::RunsPlaceBar</name>
        <message>
            <source>Change …</source>
            <translation>更改…</translation>
        </message>
        <message>
            <source>Choose one folder for the runs of all jobs, here and on the terminal</source>
            <translation>为所有作业的运行选择一个文件夹，此处和终端中均适用</translation>
        </message>
        <message>
            <source>Beside the job file</source>
            <translation>放在作业文件旁</translation>
        </message>
        <message>
            <source>Runs lie beside their job files again</source>
            <translation>让运行重新存放在各自的作业文件旁</translation>
        </message>
        <message>
            <source>Open folder</source>
            <translation>打开文件夹</translation>
        </message>
        <message>
            <source>New runs: %1 (%2)</source>
            <translation>新的运行：%1（%2）</translation>
        </message>
        <message>
            <source>Show it in the file manager</source>
            <translation>在文件管理器中显示</translation>
        </message>
        <message>
            <source>It is made with the first run</source>
            <translation>首次运行时创建</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SampleGrid</name>
        <message>
            <source>Sample predictions</source>
            <translation>样本的预测</translation>
        </message>
        <message>
            <source>No samples yet</source>
            <translation>尚无样本</translation>
        </message>
        <message>
            <source>Sample %1: %2, recognised with %3</source>
            <translation>样本 %1：%2，识别正确，概率 %3</translation>
        </message>
        <message>
            <source>Sample %1: %2, taken for %3 with %4</source>
            <translation>样本 %1：%2，误判为 %3，概率 %4</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SamplePager</name>
        <message>
            <source>All samples</source>
            <translation>所有样本</translation>
        </message>
        <message>
            <source>Compute what this checkpoint says of every sample, and show them all</source>
            <translation>计算此检查点对每个样本的预测，并全部显示</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>The samples before</source>
            <translation>上一页样本</translation>
        </message>
        <message>
            <source>The next samples</source>
            <translation>下一页样本</translation>
        </message>
        <message>
            <source>Reading …</source>
            <translation>正在读取…</translation>
        </message>
        <message>
            <source>Computing … %1 of %2</source>
            <translation>正在计算… %1/%2</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>%1–%2 of %3</source>
            <translation>第 %1–%2 个，共 %3 个</translation>
        </message>
        <message>
            <source>Compare the answers with those of another checkpoint</source>
            <translation>与另一个检查点的答案比较</translation>
        </message>
        <message>
            <source>Compare with …</source>
            <translation>与…比较</translation>
        </message>
        <message>
            <source>Which answers differ</source>
            <translation>哪些答案不同</translation>
        </message>
        <message>
            <source>Right there, wrong here</source>
            <translation>那边正确，这里错误</translation>
        </message>
        <message>
            <source>Wrong there, right here</source>
            <translation>那边错误，这里正确</translation>
        </message>
        <message>
            <source>with step %1: %2</source>
            <translation>与第 %1 步：%2</translation>
        </message>
        <message>
            <source>right at step %1, wrong here</source>
            <translation>第 %1 步正确，这里错误</translation>
        </message>
        <message>
            <source>wrong at step %1, right here</source>
            <translation>第 %1 步错误，这里正确</translation>
        </message>
        <message>
            <source>Forgotten since</source>
            <translation>此后遗忘</translation>
        </message>
        <message>
            <source>Learnt since</source>
            <translation>此后学会</translation>
        </message>
        <message>
            <source>with the one before, step %1: %2</source>
            <translation>与前一个，第 %1 步：%2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SamplesCard</name>
        <message>
            <source>Samples</source>
            <translation>样本</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Samples of each class</source>
            <translation>各类别的样本</translation>
        </message>
        <message>
            <source>Reading the data …</source>
            <translation>正在读取数据…</translation>
        </message>
        <message>
            <source>Reading the data … %1 of %2 images</source>
            <translation>正在读取数据… %1/%2 张图像</translation>
        </message>
        <message>
            <source>Reading the data … %1 prepared</source>
            <translation>正在读取数据… 已准备 %1</translation>
        </message>
        <message>
            <source>What decides these samples was changed since they were read.</source>
            <translation>读取之后，决定这些样本的设置已更改。</translation>
        </message>
        <message>
            <source>Counts of the classes, what is skipped, and images as training will see them. Reading all of the data may take a while.</source>
            <translation>各类别的数量、跳过的样本，以及训练时所见的图像。读取全部数据可能需要一些时间。</translation>
        </message>
        <message>
            <source>Show samples</source>
            <translation>显示样本</translation>
        </message>
        <message>
            <source>Read again</source>
            <translation>重新读取</translation>
        </message>
        <message>
            <source>The reading was stopped: the job's data were changed meanwhile.</source>
            <translation>读取已停止：其间作业的数据已更改。</translation>
        </message>
        <message>
            <source>The reading was stopped when the page was left.</source>
            <translation>读取已停止：已离开此页面。</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1（%2）</translation>
        </message>
        <message>
            <source>Class</source>
            <translation>类别</translation>
        </message>
        <message>
            <source>all</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>%1 %2, the rest %3</source>
            <translation>%2 占 %1，其余为 %3</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ScoreDelegate</name>
        <message>
            <source>best</source>
            <translation>最佳</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SettingColumns</name>
        <message>
            <source>Columns</source>
            <translation>列</translation>
        </message>
        <message>
            <source>Which settings of the jobs are shown</source>
            <translation>显示作业的哪些设置</translation>
        </message>
        <message>
            <source>No room for: %1</source>
            <translation>放不下：%1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ShareRun</name>
        <message>
            <source>Writing …</source>
            <translation>正在写入…</translation>
        </message>
        <message>
            <source>Share …</source>
            <translation>分享…</translation>
        </message>
        <message>
            <source>Page (*.html)</source>
            <translation>网页 (*.html)</translation>
        </message>
        <message>
            <source>The page was not written.</source>
            <translation>网页未写入。</translation>
        </message>
        <message>
            <source>The run was written to %1.</source>
            <translation>运行已写入 %1。</translation>
        </message>
        <message>
            <source>One page with its curves, scores and job file, which opens in any browser.</source>
            <translation>一个网页，含曲线、得分和作业文件，可在任何浏览器中打开。</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>Show in folder</source>
            <translation>在文件夹中显示</translation>
        </message>
        <message>
            <source>Writing the timeline … %1</source>
            <translation>正在写入时间线 … %1</translation>
        </message>
        <message>
            <source>Timeline for ui.perfetto.dev (*%1)</source>
            <translation>用于 ui.perfetto.dev 的时间线 (*%1)</translation>
        </message>
        <message>
            <source>Share the run</source>
            <translation>分享运行</translation>
        </message>
        <message>
            <source>%1 is there already.</source>
            <translation>%1 已存在。</translation>
        </message>
        <message>
            <source>The timeline of this run would take its place.</source>
            <translation>该文件会被此运行的时间线替换。</translation>
        </message>
        <message>
            <source>Replace it</source>
            <translation>替换</translation>
        </message>
        <message>
            <source>Writing the timeline …</source>
            <translation>正在写入时间线 …</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>The timeline was given up; nothing was written.</source>
            <translation>已放弃时间线；什么都没有写入。</translation>
        </message>
        <message>
            <source>The timeline was not written.</source>
            <translation>时间线未写入。</translation>
        </message>
        <message>
            <source>Open it at ui.perfetto.dev, which reads it in the browser.</source>
            <translation>在 ui.perfetto.dev 打开，文件只在浏览器中读取。</translation>
        </message>
        <message>
            <source>The timeline of the run was written to %1 (%2).</source>
            <translation>运行的时间线已写入 %1（%2）。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::SmoothingControl</name>
        <message>
            <source>Smoothing</source>
            <translation>平滑</translation>
        </message>
        <message>
            <source>Weight of the past in the drawn mean; the raw line stays visible behind</source>
            <translation>过去的值在所绘均值中的权重；原始曲线仍显示在后面</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::Sparkline</name>
        <message>
            <source>Last values</source>
            <translation>最近的值</translation>
        </message>
        <message>
            <source>newest %1</source>
            <translation>最新值 %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StatePill</name>
        <message>
            <source>State</source>
            <translation>状态</translation>
        </message>
        <message>
            <source>State: %1</source>
            <translation>状态：%1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StatusLine</name>
        <message>
            <source>%1 samples/s</source>
            <translation>%1 样本/s</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StuckNotice</name>
        <message>
            <source>Wait longer</source>
            <translation>继续等待</translation>
        </message>
        <message>
            <source>End now</source>
            <translation>立即结束</translation>
        </message>
        <message>
            <source>The run ends in %1 s.</source>
            <translation>运行将在 %1 s 后结束。</translation>
        </message>
        <message>
            <source>It restarts from its newest step, kept in memory, in %1 s.</source>
            <translation>将在 %1 s 后从保存在内存中的最新一步重启。</translation>
        </message>
        <message>
            <source>It restarts from its newest checkpoint in %1 s.</source>
            <translation>将在 %1 s 后从最新检查点重启。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TextDetails</name>
        <message>
            <source>Text that the network wrote</source>
            <translation>网络写出的文本</translation>
        </message>
        <message>
            <source>This evaluation has no text.</source>
            <translation>此次评估没有文本。</translation>
        </message>
        <message>
            <source>The beginning, in pale, was given; the rest was written by the network, at temperature %1.</source>
            <translation>开头的浅色文字是给定的；其余由网络写出，温度为 %1。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimeBar</name>
        <message>
            <source>Speed</source>
            <translation>速度</translation>
        </message>
        <message>
            <source>How many seconds of the run are played in one</source>
            <translation>每秒播放运行的多少秒</translation>
        </message>
        <message>
            <source>× %1</source>
            <translation>× %1</translation>
        </message>
        <message>
            <source>Timeline of the run</source>
            <translation>运行的时间线</translation>
        </message>
        <message>
            <source>%1, step %2: %3</source>
            <translation>%1，第 %2 步：%3</translation>
        </message>
        <message>
            <source>Drag to see the run as it was; a mark says what happened there</source>
            <translation>拖动可查看运行过去的状态；标记说明当时发生了什么</translation>
        </message>
        <message>
            <source>Drag to see the run as it was. Marks that have no room: %1</source>
            <translation>拖动可查看运行过去的状态。放不下的标记：%1</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>暂停</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>播放</translation>
        </message>
        <message>
            <source>Play the run from here; from now, its beginning</source>
            <translation>从此处播放运行；若在现在，则从头播放</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimeTravel</name>
        <message>
            <source>No timeline: %1</source>
            <translation>没有时间线：%1</translation>
        </message>
        <message>
            <source>Reading the timeline … %1</source>
            <translation>正在读取时间线 … %1</translation>
        </message>
        <message>
            <source>Meanwhile: %1</source>
            <translation>与此同时：%1</translation>
        </message>
        <message>
            <source>Back to now (End)</source>
            <translation>返回现在 (End)</translation>
        </message>
        <message>
            <source>Now</source>
            <translation>现在</translation>
        </message>
        <message>
            <source>You see %1, step %2.</source>
            <translation>正在查看 %1，第 %2 步。</translation>
        </message>
        <message>
            <source>%1, step %2</source>
            <translation>%1，第 %2 步</translation>
        </message>
        <message>
            <source>Reading the run up to %1, step %2 … %3</source>
            <translation>正在读取到 %1，第 %2 步的运行 … %3</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ValueDetails</name>
        <message>
            <source>Predicted less true: %1 in the mean, deviation %2</source>
            <translation>预测值减真实值：均值 %1，标准差 %2</translation>
        </message>
        <message>
            <source>; half of all lie from %1 to %2, nine of ten from %3 to %4, all from %5 to %6.</source>
            <translation>；一半在 %1 到 %2 之间，九成在 %3 到 %4 之间，全部在 %5 到 %6 之间。</translation>
        </message>
        <message>
            <source>What is predicted</source>
            <translation>预测的目标</translation>
        </message>
        <message>
            <source>1 more target not shown.</source>
            <translation>另有 1 个目标未显示。</translation>
        </message>
        <message>
            <source>%1 more targets not shown.</source>
            <translation>另有 %1 个目标未显示。</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::ValuePlot</name>
        <message>
            <source>Predicted against true values</source>
            <translation>预测值与真实值</translation>
        </message>
        <message>
            <source>%1 values of %2, the worst off by %3</source>
            <translation>%2 的 %1 个值，最大偏差 %3</translation>
        </message>
        <message>
            <source>true %1, predicted %2</source>
            <translation>真实值 %1，预测值 %2</translation>
        </message>
        <message>
            <source>%1: %2 too high</source>
            <translation>%1：偏高 %2</translation>
        </message>
        <message>
            <source>%1: %2 too low</source>
            <translation>%1：偏低 %2</translation>
        </message>
        <message>
            <source>No values yet</source>
            <translation>尚无数值</translation>
        </message>
        <message>
            <source>Point at a value, or use the arrow keys</source>
            <translation>请指向一个值，或使用方向键</translation>
        </message>
        <message>
            <source>predicted %1</source>
            <translation>%1 的预测值</translation>
        </message>
        <message>
            <source>true %1</source>
            <translation>%1 的真实值</translation>
        </message>
        <message>
            <source>predicted less true, in steps of %1</source>
            <translation>预测值减真实值，每格 %1</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::WindowActions</name>
        <message>
            <source>&amp;File</source>
            <translation>文件(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;New</source>
            <translation>新建(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Images: the digits example</source>
            <translation>图像：手写数字示例(&amp;I)</translation>
        </message>
        <message>
            <source>A &amp;table: what houses cost</source>
            <translation>表格：房价(&amp;T)</translation>
        </message>
        <message>
            <source>A te&amp;xt: a tiny GPT that writes plays</source>
            <translation>文本：写剧本的微型 GPT(&amp;X)</translation>
        </message>
        <message>
            <source>A &amp;program of your own</source>
            <translation>自己的程序(&amp;P)</translation>
        </message>
        <message>
            <source>Several &amp;hosts, over ssh</source>
            <translation>通过 ssh 使用多台主机(&amp;H)</translation>
        </message>
        <message>
            <source>On a &amp;Slurm cluster</source>
            <translation>在 Slurm 集群上(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Open job…</source>
            <translation>打开作业(&amp;O)…</translation>
        </message>
        <message>
            <source>&amp;Recent jobs</source>
            <translation>最近的作业(&amp;R)</translation>
        </message>
        <message>
            <source>A&amp;ttach to run folder…</source>
            <translation>附加到运行文件夹(&amp;T)…</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>Save &amp;as…</source>
            <translation>另存为(&amp;A)…</translation>
        </message>
        <message>
            <source>Save c&amp;hart as…</source>
            <translation>图表另存为(&amp;H)…</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>退出(&amp;Q)</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>编辑(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>Copy c&amp;hart</source>
            <translation>复制图表(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;Find figures, lines or runs…</source>
            <translation>查找指标、日志行或运行(&amp;F)…</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>视图(&amp;V)</translation>
        </message>
        <message>
            <source>&amp;Home</source>
            <translation>首页(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;Job</source>
            <translation>作业(&amp;J)</translation>
        </message>
        <message>
            <source>&amp;Live</source>
            <translation>实时(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Replicas</source>
            <translation>副本(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Evaluator</source>
            <translation>评估器(&amp;E)</translation>
        </message>
        <message>
            <source>L&amp;ogs</source>
            <translation>日志(&amp;O)</translation>
        </message>
        <message>
            <source>R&amp;uns</source>
            <translation>运行记录(&amp;U)</translation>
        </message>
        <message>
            <source>Re&amp;fresh the runs</source>
            <translation>刷新运行记录(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Notify when another window is in front</source>
            <translation>其他窗口在前台时发出通知(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Theme</source>
            <translation>主题(&amp;T)</translation>
        </message>
        <message>
            <source>As the &amp;system</source>
            <translation>跟随系统(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Light</source>
            <translation>浅色(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Dark</source>
            <translation>深色(&amp;D)</translation>
        </message>
        <message>
            <source>Lan&amp;guage</source>
            <translation>语言(&amp;G)</translation>
        </message>
        <message>
            <source>&amp;Run</source>
            <translation>运行(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Check the hosts</source>
            <translation>检查主机(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Launch</source>
            <translation>启动(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Resume from the newest checkpoint</source>
            <translation>从最新检查点恢复(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Stop after this step</source>
            <translation>完成此步后停止(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;End the processes now</source>
            <translation>立即结束进程(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;Drill…</source>
            <translation>演练(&amp;D)…</translation>
        </message>
        <message>
            <source>&amp;Close this run</source>
            <translation>关闭此运行(&amp;W)</translation>
        </message>
        <message>
            <source>Stop watching; a detached run goes on by itself</source>
            <translation>停止查看；已分离的运行会自行继续</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>帮助(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;About Lockstep</source>
            <translation>关于 Lockstep(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Undo %1</source>
            <translation>撤销(&amp;U)：%1</translation>
        </message>
        <message>
            <source>&amp;Redo %1</source>
            <translation>重做(&amp;R)：%1</translation>
        </message>
        <message>
            <source>&amp;Keys and gestures</source>
            <translation>按键与手势(&amp;K)</translation>
        </message>
        <message>
            <source>Images in &amp;folders of your own</source>
            <translation>自己文件夹中的图像(&amp;F)</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::XAxisControl</name>
        <message>
            <source>X axis</source>
            <translation>X 轴</translation>
        </message>
        <message>
            <source>What the x axis counts</source>
            <translation>X 轴表示的内容</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Epochs</source>
            <translation>轮次</translation>
        </message>
        <message>
            <source>Relative time</source>
            <translation>相对时间</translation>
        </message>
        <message>
            <source>Time of day</source>
            <translation>时刻</translation>
        </message>
        <message>
            <source>With the pauses between the starts of a run</source>
            <translation>含各次启动之间的停顿</translation>
        </message>
        <message>
            <source>Log x</source>
            <translation>对数 X</translation>
        </message>
        <message>
            <source>X axis: logarithmic scale</source>
            <translation>X 轴：对数刻度</translation>
        </message>
        <message>
            <source>The time of day has no logarithmic scale</source>
            <translation>时刻没有对数刻度</translation>
        </message>
        <message>
            <source>Logarithmic scale of the x axis</source>
            <translation>X 轴的对数刻度</translation>
        </message>
        <message>
            <source>What is shown here says nothing of epochs: steps are shown</source>
            <translation>此处显示的内容没有轮次信息：按步显示</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::StepTimeline</name>
        <message>
            <source>the rest</source>
            <translation>其余</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Show each step with its phases, of all processes on one clock, instead of the heartbeats</source>
            <translation>显示每一步及其各阶段（所有进程共用一个时钟），代替心跳</translation>
        </message>
        <message>
            <source>Show steps instead of heartbeats</source>
            <translation>显示步，代替心跳</translation>
        </message>
        <message>
            <source>No step was reported</source>
            <translation>未报告任何步</translation>
        </message>
        <message>
            <source>Spans appear with the first step</source>
            <translation>第一步之后出现时段</translation>
        </message>
        <message>
            <source>%1, replica %2</source>
            <translation>%1，副本 %2</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::TimelineChart</name>
        <message>
            <source>Steps</source>
            <translation>步</translation>
        </message>
        <message>
            <source>Older ones: drag the slider below</source>
            <translation>更早的：拖动下方的滑块</translation>
        </message>
        <message>
            <source>checkpoints</source>
            <translation>检查点</translation>
        </message>
        <message>
            <source>%1 was lost: %2</source>
            <translation>%1 失联：%2</translation>
        </message>
        <message>
            <source>the run was started again at %1</source>
            <translation>此运行于 %1 重启</translation>
        </message>
        <message>
            <source>%1, steps %2 to %3: mostly %4</source>
            <translation>%1，第 %2 至 %3 步：多为%4</translation>
        </message>
        <message>
            <source>%1, step %2: %3 for %4 of %5</source>
            <translation>%1，第 %2 步：%3，%5 中的 %4</translation>
        </message>
        <message>
            <source>checkpoint of step %1, written within %2</source>
            <translation>第 %1 步的检查点，写入用时 %2</translation>
        </message>
        <message>
            <source>processors</source>
            <translation>处理器</translation>
        </message>
        <message>
            <source>memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>GPUs</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1，%2</translation>
        </message>
        <message>
            <source>%1 at %2</source>
            <translation>%1，%2</translation>
        </message>
        <message>
            <source>%1: %2, of at most %3</source>
            <translation>%1：%2，最高 %3</translation>
        </message>
        <message>
            <source>%1: from %2 (%3) to %4 (%5)</source>
            <translation>%1：从 %2（%3）到 %4（%5）</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeyList</name>
        <message>
            <source>Everywhere</source>
            <translation>所有页面</translation>
        </message>
        <message>
            <source>Ctrl+0 … Ctrl+6</source>
            <translation>Ctrl+0 … Ctrl+6</translation>
        </message>
        <message>
            <source>Home, Job, Live, Replicas, Evaluator, Logs, Runs</source>
            <translation>首页、作业、实时、副本、评估器、日志、运行记录</translation>
        </message>
        <message>
            <source>Ctrl+L</source>
            <translation>Ctrl+L</translation>
        </message>
        <message>
            <source>Launch the job</source>
            <translation>启动作业</translation>
        </message>
        <message>
            <source>Ctrl+Shift+L</source>
            <translation>Ctrl+Shift+L</translation>
        </message>
        <message>
            <source>Resume from the newest checkpoint</source>
            <translation>从最新检查点恢复</translation>
        </message>
        <message>
            <source>Ctrl+.</source>
            <translation>Ctrl+.</translation>
        </message>
        <message>
            <source>Stop after this step</source>
            <translation>完成此步后停止</translation>
        </message>
        <message>
            <source>Ctrl+K</source>
            <translation>Ctrl+K</translation>
        </message>
        <message>
            <source>Check the hosts</source>
            <translation>检查主机</translation>
        </message>
        <message>
            <source>Ctrl+D</source>
            <translation>Ctrl+D</translation>
        </message>
        <message>
            <source>A drill: a fault on purpose</source>
            <translation>演练：有意制造的故障</translation>
        </message>
        <message>
            <source>Ctrl+W</source>
            <translation>Ctrl+W</translation>
        </message>
        <message>
            <source>Close this run</source>
            <translation>关闭此运行</translation>
        </message>
        <message>
            <source>Ctrl+F</source>
            <translation>Ctrl+F</translation>
        </message>
        <message>
            <source>Find figures on Live, runs on Runs, else lines of the log</source>
            <translation>在“实时”中查找指标，在“运行记录”中查找运行，否则查找日志行</translation>
        </message>
        <message>
            <source>Read the runs folder again</source>
            <translation>重新读取运行文件夹</translation>
        </message>
        <message>
            <source>These keys</source>
            <translation>这些按键</translation>
        </message>
        <message>
            <source>Job</source>
            <translation>作业</translation>
        </message>
        <message>
            <source>Ctrl+Z</source>
            <translation>Ctrl+Z</translation>
        </message>
        <message>
            <source>Ctrl+Shift+Z</source>
            <translation>Ctrl+Shift+Z</translation>
        </message>
        <message>
            <source>Undo and redo, in the form and in the text</source>
            <translation>在表单和文本中撤销与重做</translation>
        </message>
        <message>
            <source>Insert</source>
            <translation>Insert</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>Delete</translation>
        </message>
        <message>
            <source>Table of hosts: add a row, remove it</source>
            <translation>主机表：添加一行、删除该行</translation>
        </message>
        <message>
            <source>Alt+Up</source>
            <translation>Alt+↑</translation>
        </message>
        <message>
            <source>Alt+Down</source>
            <translation>Alt+↓</translation>
        </message>
        <message>
            <source>Table of hosts: move the row</source>
            <translation>主机表：移动该行</translation>
        </message>
        <message>
            <source>Enter</source>
            <translation>Enter</translation>
        </message>
        <message>
            <source>Table of hosts: edit the cell</source>
            <translation>主机表：编辑单元格</translation>
        </message>
        <message>
            <source>Down</source>
            <translation>↓</translation>
        </message>
        <message>
            <source>While a host is typed: the names of the ssh settings</source>
            <translation>输入主机时：ssh 设置中的名称</translation>
        </message>
        <message>
            <source>Ctrl+wheel</source>
            <translation>Ctrl+滚轮</translation>
        </message>
        <message>
            <source>On a mark: the checkpoint's score, or that moment of the run</source>
            <translation>点击标记：查看检查点的得分，或回到运行的那一刻</translation>
        </message>
        <message>
            <source>Steps: zoom and pan</source>
            <translation>步：缩放和平移</translation>
        </message>
        <message>
            <source>Picture of the network: zoom</source>
            <translation>网络图：缩放</translation>
        </message>
        <message>
            <source>Picture of the network: show all</source>
            <translation>网络图：显示全部</translation>
        </message>
        <message>
            <source>Up</source>
            <translation>↑</translation>
        </message>
        <message>
            <source>Picture of the network: from layer to layer</source>
            <translation>网络图：逐层移动</translation>
        </message>
        <message>
            <source>Right</source>
            <translation>→</translation>
        </message>
        <message>
            <source>Left</source>
            <translation>←</translation>
        </message>
        <message>
            <source>Picture of the network: open and close a block</source>
            <translation>网络图：展开和折叠块</translation>
        </message>
        <message>
            <source>Charts</source>
            <translation>图表</translation>
        </message>
        <message>
            <source>Wheel</source>
            <translation>滚轮</translation>
        </message>
        <message>
            <source>Zoom time; the y axis fits what is shown</source>
            <translation>缩放时间；y 轴自动适应所显示的内容</translation>
        </message>
        <message>
            <source>Wheel over the y axis</source>
            <translation>在 y 轴上滚动</translation>
        </message>
        <message>
            <source>Zoom y alone</source>
            <translation>仅缩放 y</translation>
        </message>
        <message>
            <source>Drag</source>
            <translation>拖动</translation>
        </message>
        <message>
            <source>Choose a range</source>
            <translation>选择范围</translation>
        </message>
        <message>
            <source>Ctrl+drag</source>
            <translation>Ctrl+拖动</translation>
        </message>
        <message>
            <source>Choose a box</source>
            <translation>选择矩形区域</translation>
        </message>
        <message>
            <source>Space+drag</source>
            <translation>空格+拖动</translation>
        </message>
        <message>
            <source>Shift+drag</source>
            <translation>Shift+拖动</translation>
        </message>
        <message>
            <source>Middle button</source>
            <translation>鼠标中键</translation>
        </message>
        <message>
            <source>Arrow keys</source>
            <translation>方向键</translation>
        </message>
        <message>
            <source>Pan</source>
            <translation>平移</translation>
        </message>
        <message>
            <source>Double click</source>
            <translation>双击</translation>
        </message>
        <message>
            <source>Show all</source>
            <translation>显示全部</translation>
        </message>
        <message>
            <source>Logarithmic y axis</source>
            <translation>对数 y 轴</translation>
        </message>
        <message>
            <source>Ctrl+click</source>
            <translation>Ctrl+单击</translation>
        </message>
        <message>
            <source>On a curve's name: this curve alone</source>
            <translation>在曲线名称上：仅显示该曲线</translation>
        </message>
        <message>
            <source>Ctrl+Shift+C</source>
            <translation>Ctrl+Shift+C</translation>
        </message>
        <message>
            <source>Ctrl+Shift+E</source>
            <translation>Ctrl+Shift+E</translation>
        </message>
        <message>
            <source>Copy the chart, save it</source>
            <translation>复制、保存图表</translation>
        </message>
        <message>
            <source>Leave a chart that fills the page</source>
            <translation>退出铺满页面的图表</translation>
        </message>
        <message>
            <source>Named figures</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Pin: before all others, or no longer</source>
            <translation>置顶：排在最前，或取消置顶</translation>
        </message>
        <message>
            <source>Hide</source>
            <translation>隐藏</translation>
        </message>
        <message>
            <source>Alt+Left</source>
            <translation>Alt+←</translation>
        </message>
        <message>
            <source>Alt+Right</source>
            <translation>Alt+→</translation>
        </message>
        <message>
            <source>Move</source>
            <translation>移动</translation>
        </message>
        <message>
            <source>Replicas, as a map</source>
            <translation>副本热图</translation>
        </message>
        <message>
            <source>From cell to cell</source>
            <translation>逐格移动</translation>
        </message>
        <message>
            <source>Click</source>
            <translation>单击</translation>
        </message>
        <message>
            <source>Open the replica</source>
            <translation>打开该副本</translation>
        </message>
        <message>
            <source>Close it</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Evaluator</source>
            <translation>评估器</translation>
        </message>
        <message>
            <source>From cell to cell, class to class, sample to sample</source>
            <translation>在单元格、类别、样本之间移动</translation>
        </message>
        <message>
            <source>Cell or class: its samples; sample: across all checkpoints</source>
            <translation>单元格或类别：其样本；样本：跨所有检查点</translation>
        </message>
        <message>
            <source>Confusion matrix: zoom</source>
            <translation>混淆矩阵：缩放</translation>
        </message>
        <message>
            <source>Confusion matrix: show all</source>
            <translation>混淆矩阵：显示全部</translation>
        </message>
        <message>
            <source>Close the sample's checkpoints</source>
            <translation>关闭该样本的检查点</translation>
        </message>
        <message>
            <source>Logs</source>
            <translation>日志</translation>
        </message>
        <message>
            <source>Search</source>
            <translation>搜索</translation>
        </message>
        <message>
            <source>Next match</source>
            <translation>下一个匹配</translation>
        </message>
        <message>
            <source>Shift+Enter</source>
            <translation>Shift+Enter</translation>
        </message>
        <message>
            <source>Shift+F3</source>
            <translation>Shift+F3</translation>
        </message>
        <message>
            <source>Match before</source>
            <translation>上一个匹配</translation>
        </message>
        <message>
            <source>End a long search; what was found stays</source>
            <translation>结束长时间的搜索；已找到的保留</translation>
        </message>
        <message>
            <source>Unfold a traceback, fold it</source>
            <translation>展开、折叠回溯</translation>
        </message>
        <message>
            <source>Ctrl+G</source>
            <translation>Ctrl+G</translation>
        </message>
        <message>
            <source>Go to a line or a time: 12000, 14:05, 14:05:12</source>
            <translation>转到某行或某时刻：12000、14:05、14:05:12</translation>
        </message>
        <message>
            <source>Click on a time</source>
            <translation>单击时间</translation>
        </message>
        <message>
            <source>Put the charts' crosshair there</source>
            <translation>将图表的十字线移到此处</translation>
        </message>
        <message>
            <source>Ctrl+Enter</source>
            <translation>Ctrl+Enter</translation>
        </message>
        <message>
            <source>The same, and show Live</source>
            <translation>同上，并显示“实时”</translation>
        </message>
        <message>
            <source>Ctrl+C</source>
            <translation>Ctrl+C</translation>
        </message>
        <message>
            <source>Copy the chosen lines, or all that are shown</source>
            <translation>复制选中的行，或所有显示的行</translation>
        </message>
        <message>
            <source>Slider of the past</source>
            <translation>历史滑块</translation>
        </message>
        <message>
            <source>Click on a mark</source>
            <translation>单击标记</translation>
        </message>
        <message>
            <source>Show the run as it was then</source>
            <translation>显示运行当时的状态</translation>
        </message>
        <message>
            <source>The report of a step before, the next one</source>
            <translation>上一个、下一个步的报告</translation>
        </message>
        <message>
            <source>Page Up</source>
            <translation>Page Up</translation>
        </message>
        <message>
            <source>Page Down</source>
            <translation>Page Down</translation>
        </message>
        <message>
            <source>A twentieth of the run</source>
            <translation>运行的二十分之一</translation>
        </message>
        <message>
            <source>Home</source>
            <translation>Home</translation>
        </message>
        <message>
            <source>Its beginning</source>
            <translation>其开头</translation>
        </message>
        <message>
            <source>End</source>
            <translation>End</translation>
        </message>
        <message>
            <source>Now; anywhere in the window</source>
            <translation>现在；在窗口任意位置均可</translation>
        </message>
        <message>
            <source>Runs</source>
            <translation>运行记录</translation>
        </message>
        <message>
            <source>Open the run</source>
            <translation>打开该运行</translation>
        </message>
        <message>
            <source>Shift+click</source>
            <translation>Shift+单击</translation>
        </message>
        <message>
            <source>Choose several runs</source>
            <translation>选择多个运行</translation>
        </message>
        <message>
            <source>Compare the chosen runs; one alone with the best</source>
            <translation>比较选中的运行；仅选一个时与最佳运行比较</translation>
        </message>
        <message>
            <source>Ctrl+J</source>
            <translation>Ctrl+J</translation>
        </message>
        <message>
            <source>Open a copy of its job</source>
            <translation>打开其作业的副本</translation>
        </message>
        <message>
            <source>Name, tags and note</source>
            <translation>名称、标签和备注</translation>
        </message>
        <message>
            <source>To the trash; Undo takes them back</source>
            <translation>移到回收站；可用“撤销”取回</translation>
        </message>
        <message>
            <source>Space</source>
            <translation>空格</translation>
        </message>
        <message>
            <source>In a comparison: hide and show a run's curves</source>
            <translation>在比较中：隐藏和显示某次运行的曲线</translation>
        </message>
        <message>
            <source>Runs, as axes</source>
            <translation>运行记录（轴）</translation>
        </message>
        <message>
            <source>Drag along an axis</source>
            <translation>沿轴拖动</translation>
        </message>
        <message>
            <source>Choose the runs that pass there</source>
            <translation>选择经过此处的运行</translation>
        </message>
        <message>
            <source>Choose a run; one more</source>
            <translation>选择一个运行；再加一个</translation>
        </message>
        <message>
            <source>From axis to axis</source>
            <translation>逐轴移动</translation>
        </message>
        <message>
            <source>From run to run</source>
            <translation>逐个运行移动</translation>
        </message>
        <message>
            <source>Choose the run</source>
            <translation>选择该运行</translation>
        </message>
        <message>
            <source>Give the ranges up</source>
            <translation>放弃所选范围</translation>
        </message>
    </context>
    <context>
        <name>lockstep::ui::KeysDialog</name>
        <message>
            <source>Keys and gestures</source>
            <translation>按键与手势</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
    </context>
</TS>
