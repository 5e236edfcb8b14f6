<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>lockstep::ui</name>
    <message>
        <source>About Lockstep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lockstep %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Configures, launches, watches and evaluates synchronous data-parallel training.

Ctrl+L launches, Ctrl+Shift+L resumes, Ctrl+. stops, Ctrl+K checks the hosts, Ctrl+0 to Ctrl+6 go to the pages, Ctrl+F filters the log.
In a chart: + and − zoom, arrows pan, 0 shows all, Esc leaves a chart that fills the page.

This program is free software under the GNU General Public License, version 3 or later. It comes without any warranty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing the window ends the job “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closing the run ends the job “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening another run ends the job “%1”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End job and open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End job and close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End the running job?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is tied to this window: On closing, in its Launch card, is “tied”. “detached” lets it go on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the window?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” goes on without this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When Lockstep is started again, it offers to open it. On a terminal:
%1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close without this question from now on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the changes?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The job “%1” has changes that are not saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>left open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a part at a random place, of zeros around it, too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a part of random size and shape, brought to one size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mirrored, or not</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>turned by parts of a full turn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>larger or smaller, by shares of the size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved, by shares of the size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lighter or darker</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more or less contrast</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a rectangle is painted over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mixed with another sample, and so are their classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a rectangle of another sample, with its share of the class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epochs as CSV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicas each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transport</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heartbeat limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPUs of a host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mesh rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mesh columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Method</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ssh settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lease</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On closing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When stuck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Grace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Environment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Works in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Partition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stops before it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Target scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Missing cells</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Targets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation targets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test inputs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test targets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Broken samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Random changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Subtract mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Divide by std</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prefetch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sharding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shuffle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reshuffle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Order&apos;s seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop remainder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Begin with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch in parts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Average weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Average keeps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tune</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ends at NaN</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rho</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Label smoothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ignored class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Class weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Huber&apos;s delta</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Metrics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nesterov</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clip each norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clip values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clip the norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay in epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up, epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decay rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In stairs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Boundaries</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Power</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Factor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plateau of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Better by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Then waits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Least rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every … steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every … epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep unscored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In shards</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They compute on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop early by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patience</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Better is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore the best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the column %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the units of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the activation of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>random change %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the address of process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the host of process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Top-%1 accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Binary accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>AUC</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recall</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean absolute error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Root mean squared error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Perplexity</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MAE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RMSE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 has stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> in %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>test %1, </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2, </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>agent %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · replica %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>evaluator %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>agent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chief</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>worker</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>evaluate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>done</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launching</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validating</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Testing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restarting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completed: %1%2 steps%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped after step %1%2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped after step %1 of %2%3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed after step %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 replicas alive</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no step yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is being opened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is being started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kill now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping after the step in flight. Press again to end the processes now; steps since the last checkpoint are lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End after the step in flight, with a checkpoint (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on from the newest checkpoint of this run (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a job first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct the problems on the Job page first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start this job as a new run, in a folder of its own (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start this job (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>▲ points above this axis: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>▲ points above this axis: %1 or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Precision</source>
        <comment>metric</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on %2 %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, </source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::AboutRunDialog</name>
    <message>
        <source>Name, tags and note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the run is called; its folder stays as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>baseline keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words, with blanks between them; tag:word in the filter finds them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::AnswerModel</name>
    <message>
        <source>the row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, image %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>row %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, line %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::AnswersCard</name>
    <message>
        <source>Answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text that the network writes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and %1 more remarks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all answers, for a spreadsheet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as JSON or CSV …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the network says is shown here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the checkpoint …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answered by step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 without an answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save answers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON (*.json);;CSV (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::AugmentEditor</name>
    <message>
        <source>Random changes of training images</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a random change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a change …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>without a type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None: images are trained on as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This list is not written in brackets, so its changes are added, moved and removed in the text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>adding %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of a random change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move of a random change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change of %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::AugmentedSamples</name>
    <message>
        <source>Samples of the training data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples, each with %2 augmented versions: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, as epoch %2 has it</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ChartCard</name>
    <message>
        <source>Log y</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic scale (L in the chart)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: logarithmic scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all charts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only this chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean of the newest %1 steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ChartExport</name>
    <message>
        <source>&amp;Copy the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the &amp;points (CSV)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save as PNG, SVG, PDF or CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be painted as a picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show it smaller, or copy its points.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied as a picture: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 points are too many for the clipboard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save them as a CSV file, or show a part of the steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Points copied: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the chart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG picture (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CSV table of the points (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ChartVerbs</name>
    <message>
        <source>There is no chart on this page.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Charts are on Live, and on Runs where runs are compared.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ClassBars</name>
    <message>
        <source>Accuracy of each class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weakest: %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ClusterCard</name>
    <message>
        <source>Cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processes of the cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the chosen process; process 0, the chief, stays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the cluster from TF_CONFIG, Keras, JAX, torchrun, a hostfile, Slurm or Kubernetes</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ClusterTableModel</name>
    <message>
        <source>with the chief</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from the launcher</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host:port; port 0 is chosen at launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problem</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ColumnsEditor</name>
    <message>
        <source>left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number, normalised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number as it is</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>category, words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>category, whole numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns of the table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use all columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbers normalised, words as categories; the target is left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How %1 reaches the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A number for each category; or one column of whole numbers, which an embedding takes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one-hot</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most categories of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many categories at most: the most frequent ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, for example %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the target</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table has no such column.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the table …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The table&apos;s columns are not known: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the table&apos;s file above: its columns are listed here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kind of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use of all columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 more column is edited in the text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more columns are edited in the text.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ComparePage</name>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss, validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy, validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The compared runs: what became of them, and what differs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since each run&apos;s first step, without the pauses between its starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Also those in which the jobs agree</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step was reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, reading …</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ComparedRunsModel</name>
    <message>
        <source>A click on the mark, or Space, shows or hides its curves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ConfusedPairs</name>
    <message>
        <source>Most confused classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 × %2 → %3%4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ConfusionMatrix</name>
    <message>
        <source>Confusion matrix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 (%3)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 recognised: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 taken for %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No evaluation yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a cell; + and the wheel with Ctrl enlarge, 0 shows all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a cell, or use the arrow keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Truth</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ConsentDialog</name>
    <message>
        <source>Attach to this run?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is not known as a run of yours. Following it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach to it if it is yours, or if you trust whoever it came from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the hosts of this job?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The hosts of “%1” have not been checked before. Doing so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check them if the file is yours, or if you trust whoever it came from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch this job?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” has not been launched like this before. It</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch it if the file is yours, or if you trust whoever it came from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is run and reached</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DescribeRun</name>
    <message>
        <source>Mend the file, or remove it to begin anew.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run keeps the name, tags and note it had.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DesktopNotifications</name>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DrillChoice</name>
    <message>
        <source>Not here: %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DrillCourse</name>
    <message>
        <source>Not landed yet: %1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not detected: the run named nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not detected yet: %1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not recovered yet: %1 s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DrillDesk</name>
    <message>
        <source>Make a fault on purpose, and see what becomes of it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is over: a drill needs one that goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run is followed: launch a job, or open a run that goes on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The drill goes on without its panel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its news are in the log; Run, Drill shows what becomes of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the drill</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::DrillPanel</name>
    <message>
        <source>%1  %2 of process %3: %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drill</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It really happens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In which process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For how many seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lasts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make this fault…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drills of this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drills of this run, the newest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None yet. Those of the command line, lockstepctl drill, come here, too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make this fault?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the fault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2) on %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>until the run ends it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no run is followed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run is not reached (%1)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run is asked for a drill</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not now: %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run is asked for it …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No drill was done: %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::EvaluationDetails</name>
    <message>
        <source>Loss %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Confusion</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy by class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most confused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>truth → prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the samples of all cells again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predictions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the confusion matrix again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 samples lie in cells that the evaluator left out, the emptiest ones</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weakest of %1 classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the samples that were kept lies in this cell. The evaluator keeps the hardest ones and some of the others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No samples yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 recognised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 taken for %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, the hardest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the hardest first, %1 of them wrong</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2, most of them the hardest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 wrong here, %3 in all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 of %3 are among the %4 that were kept</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::EvaluationModel</name>
    <message>
        <source>validation loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>validation accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2 checkpoints scored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not scored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::EvaluatorDesk</name>
    <message>
        <source>Scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the page shows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Newest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which checkpoint is asked and exported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the checkpoint&apos;s network to a file for other programs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Safetensors: the weights, by PyTorch&apos;s names …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;ONNX: the network itself …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ONNX (*.onnx)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Safetensors (*.safetensors)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exporting …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network of step %1 was written to %2 (%3).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::EvaluatorPage</name>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all scores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all scores again and grow with them (0)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No checkpoint was scored yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The evaluator is a process of its own: it scores every checkpoint as it appears, while training goes on. Its first score comes with the first checkpoint.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> lockstepctl evaluate scores what a run has come to at any time; opened again, an ended run shows those scores here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No checkpoint was scored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This job has no evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With cluster.evaluator = true a process of its own scores every checkpoint as it appears, while training goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ended before it wrote a checkpoint.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the run&apos;s checkpoints could be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ended before its evaluator had scored one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The weights that the run ended with have a test %1. </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The files of the best checkpoint, of step %1, are gone. checkpoint.keep keeps the newest %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> checkpoint.keep_best keeps the best at an epoch&apos;s end too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> checkpoint.keep_best = true keeps the best of the epochs&apos; ends too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the best checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the one that is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latest, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::FigureShelf</name>
    <message>
        <source>Too slow: there are too many ways to read a name so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the named figures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search: a regular expression</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part of a name, or a regular expression such as loss|norm (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show hidden figures again, or all as they came</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before all others (P)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: before all others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not a regular expression: %1, at character %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hidden: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrangement</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Found: %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No figure is called so</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All, as they came</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No longer before all others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before all others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move earlier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move later</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::FileDrop</name>
    <message>
        <source>Browse …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to ask about</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::GraphLegend</name>
    <message>
        <source>Sizes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the picture shows of each layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the time goes: sizes, the share of a step&apos;s operations, or the share of its time, measured on this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory of the output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share of all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing can be measured here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measuring steps of %1 samples on this machine …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 a step of %2 samples, forward and backward, on this machine&apos;s processor.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network has changed: choose Time to measure it as it is now.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::GraphView</name>
    <message>
        <source>Picture of the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network is drawn here as soon as it is one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 a sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1FLOP a sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of all</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HeaderBar</name>
    <message>
        <source>Slow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replica lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stuck</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Silent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Has problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hosts not ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica is silent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica makes the others wait</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epoch %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>took %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lockstep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HeartbeatChart</name>
    <message>
        <source>Heartbeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was lost: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run was started again at %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: silent for %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 at %2: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No process yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HomePage</name>
    <message>
        <source>start not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started today, %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>took %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>name and value of a metric</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 left</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you launch is listed here: how it ended, and what it reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies, to be changed and saved</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Images: handwritten digits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two replicas on this machine, nothing to download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A table: what houses cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A regression on 3 000 rows; put in a CSV file of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A text: a tiny GPT that writes plays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Character by character; put in a text of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A program of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started as every process of a job; here one of 40 lines in Python</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Several hosts, over ssh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put in the names of your hosts; nothing is installed there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a Slurm cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put in your partition; submitted from this machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A job file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The cluster, the data, the model and the training plan; or drop it here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Followed where it runs, replayed where it has ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HostCheckCard</name>
    <message>
        <source>Hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examine every host of the job; nothing of it is started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checks of the job&apos;s hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before anything trains, every host can be looked at: ssh, the network between all of them, clocks, disks, data, memory, GPUs and what earlier runs have left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 The job has changed since: check again.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HostCheckDetails</name>
    <message>
        <source>Sets %1 to %2 in the job file; Undo takes it back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command that helps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HostCheckModel</name>
    <message>
        <source>Host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host %1, %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2: %3, %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>being examined</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ok</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fails</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::HostQuestionDialog</name>
    <message>
        <source>A host asks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust %1?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This host is not known yet. Whoever answers at its address shows this key; compare the fingerprint with that of the host before you trust it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust this key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not connect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock your key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The key %1 opens %2. Its passphrase is kept in memory only, until this window closes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The host asks for a password or a code. It is kept in memory only, until this window closes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Answer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect to %1?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ssh asks for your consent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting to %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ssh waits for something that only you can do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fingerprint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ImportDialog</name>
    <message>
        <source>Import a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste how another program describes the cluster. Which one it is need not be said.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Description of a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TF_CONFIG=&apos;{&quot;cluster&quot;: {&quot;worker&quot;: [&quot;host1:12345&quot;, &quot;host2:12345&quot;]}, …}&apos;
KERAS_DISTRIBUTION_JOB_ADDRESSES=10.0.0.1:1234,10.0.0.2:1234
jax.distributed.initialize(coordinator_address=&quot;10.0.0.1:1234&quot;, …)
torchrun --nnodes 2 --master-addr host1 …, or its variables
host1 slots=4          (a hostfile)
node[001-004]          (a Slurm node list)
the manifest of an indexed Kubernetes job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write into the job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is pasted yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comments and blanks do not matter; quotes and “export” may stay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Understood.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::JobController</name>
    <message>
        <source>job of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job files (*.toml);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job files (*.toml)</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::JobEditor</name>
    <message>
        <source>edit of the text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>import of a cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluators</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Own program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every process runs this program; data, model and training are its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Training</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::JobField</name>
    <message>
        <source>not set</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>line %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This value comes from %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::JobPage</name>
    <message>
        <source>One process runs %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 processes run %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batches of %1, for %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One replica takes every batch of %1, for %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 replicas take %2 samples each of every batch of %3, for %4 of %5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a job to begin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A job is one file: the cluster, the data, the model and the training plan. The example trains a small network on two replicas of this machine; it needs nothing to download. Home has others to begin with, and what was open last.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open example</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open job…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The job “%1” as the run that is followed was launched with it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the run&apos;s job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Examine every host of the job; nothing of it is started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job form</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 notes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 epochs</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::JobPreview</name>
    <message>
        <source>Job file as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the job file as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Form of the job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With all defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process that the text is for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text of the job file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for process %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for the evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edits here and in the form are the same.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read only: derived from this file.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::Kinds</name>
    <message>
        <source>The kind of layer, as Keras names it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What its tensors are called after; later layers take its output by it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by its place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The names of the layers that it takes: [&quot;a&quot;, &quot;b&quot;].</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The name of the layer that it takes; &quot;data&quot; is the sample.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what stands before it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which block stands there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What “$%1” stands for in the block.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>each its own</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LayerEditor</name>
    <message>
        <source>Add</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a layer, a residual or a block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make it a residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfold all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 … %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortcut of the residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use of block %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults of every %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults of a type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The block is used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new shortcut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move of a layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copy of a layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>new residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of a block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of a shortcut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of a layer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LayerInspector</name>
    <message>
        <source>Edit as text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 more option</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A layer without a type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortcut: what the residual&apos;s input goes through on its way past the layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use of block %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block %1: its layers may have “$name” for values that each use gives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks: lists of layers that are used by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults: what layers of a type have that do not say otherwise</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults of every %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is no layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove what %1 does not have: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only a table such as { type = &quot;dense&quot;, units = 10 } is a layer: edit this one as text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This list is not written in brackets, so its layers are added, moved and removed in the text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renaming of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change of %1 in %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removal of options</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LayerTree</name>
    <message>
        <source>Layers of the network</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LayerTreeModel</name>
    <message>
        <source>residual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shortcut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not a layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used by name, with parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for every layer of a type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what passes the layers above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gives %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move of a layer</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LiveChart</name>
    <message>
        <source>Nothing measured yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chart of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time since the first step, without pauses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>curves without a place on this axis: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Highest: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lowest: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more between</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>epoch %1 · step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LiveFeed</name>
    <message>
        <source>Replica %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>end of epoch %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checkpoint of step %1, deleted since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>checkpoint of step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>started again after step %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 was lost: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>drill: %1 of process %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LivePage</name>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throughput of a replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>samples/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Points appear with the first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since the first step, without the pauses between the starts of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go on with the newest steps, and the present of the heartbeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heartbeats of the processes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide the heartbeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide the heartbeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the heartbeats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>silent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No step was reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Points appear when the program reports its first step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No accuracy was reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No accuracy reported yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing runs yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Launch the job, and loss, accuracy, throughput and step time of every replica are drawn here as they come. Every point is kept: zoom while it streams.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figures that have no chart here: %1. lockstepctl export has them all.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LiveRunsOffer</name>
    <message>
        <source>“%1” is running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 jobs are running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LogModel</name>
    <message>
        <source>debug</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>info</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::LogsPage</name>
    <message>
        <source>Filter lines (Ctrl+F)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter lines by text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show lines of one process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All processes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Least level shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Debug and above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Errors only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the newest line in view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the chosen lines, or all that are shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No log lines yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What every process of the job writes appears here in one list, with the process that wrote it. Launch a job or attach to a run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 older in logs/</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The newest %1 lines are kept here. The run&apos;s folder has all of them in logs/, a file for each process.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::MainWindow</name>
    <message>
        <source>The hosts cannot be checked yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lockstep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a job to begin.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>has problems</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a job without a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes of %1 were not saved the last time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recover them, or dismiss this to give them up.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recover</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A folder for the runs of all jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attach to run folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Home</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Live</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the next start: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ModelCard</name>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold all blocks of the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfold all blocks of the picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Smaller (−)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger (+)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit the width (0)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1FLOP a sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is of the last text that was a network.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The picture is of the last text that was a network. %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For samples of %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::NavigationRail</name>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::Network</name>
    <message>
        <source>%1 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 numbers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and the column %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 and the columns %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 classes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>vocabulary of %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (supposed: the data were not found yet)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the data are like is not known yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the data are like is not known yet: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 shapes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>column</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::NoticeBar</name>
    <message>
        <source>Copy details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dismiss this message</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::OptionField</name>
    <message>
        <source>%1 (default)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not set</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ParallelPlot</name>
    <message>
        <source>Settings and results of the runs, an axis each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag along an axis to choose the runs that pass there; a click chooses one</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::PhaseBar</name>
    <message>
        <source>Phases of a step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::PhaseLegend</name>
    <message>
        <source>Phases of a step</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ProgressStrip</name>
    <message>
        <source>Progress</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of unknown length</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::QuestionCard</name>
    <message>
        <source>Ask the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask about the rows that were copied from a spreadsheet or a CSV file, with or without their header</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How freely tokens are drawn; 0: always the likeliest one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decides what is drawn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A text to be continued</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the checkpoint …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drop images here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JPEG, PNG, a folder of them, or an IDX file of images; all are brought to the network&apos;s size.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop CSV files with these columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or drop files that each hold a prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The network takes numbers that come from no table, which cannot be typed here. Export it as ONNX to run it in a program of yours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was copied: copy rows from a spreadsheet or a CSV file first.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReadoutTable</name>
    <message>
        <source>and others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReplicaChips</name>
    <message>
        <source>Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click shows or hides %1, Ctrl+click shows it alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More replicas</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReplicaMap</name>
    <message>
        <source>Coloured by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Own work: the newest step without waiting for the others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Own work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Silence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Map of the replicas, a row a host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>E</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReplicaPanel</name>
    <message>
        <source>Close the details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close (Escape)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phases of the newest step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step time, newest 512 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss, newest 512 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last log lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last log lines of this process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has written nothing yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drill…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a fault in this process on purpose</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 % of a processor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, %2 %, %3 °C, %4 W</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, slowed: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>, %1 memory errors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, GPU %2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pid %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step time %1, newest 512 steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss %1, newest 512 steps</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReplicaTableModel</name>
    <message>
        <source>Process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heartbeat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Phases</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReplicasPage</name>
    <message>
        <source>Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No replicas yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each replica of the job has a row here: its state in words, its last heartbeat, its step and how its time divides. A lost or stuck one is named.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the replicas as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one for its memory, its newest steps and its last log lines.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ReportHint</name>
    <message>
        <source>Copy the lines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lines for the program</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Three lines show its loss, and any other figure, here as they come. Python 3.8 is all they need.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With Keras, one callback reports every metric:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program reported nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program runs and has reported nothing yet</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunController</name>
    <message>
        <source>%1, at step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 (%2): %3; noticed after %4</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in a former start: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was started.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The Logs page shows what it wrote last.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The Logs page shows what it wrote last. Resume goes on from step %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a job first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run goes on in this window. Stop it, or close it with %1; a detached one goes on by itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The job cannot be launched yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” goes on without this window. Follow it again: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunIndex</name>
    <message>
        <source>What was read of runs is not kept for the next start: Qt&apos;s driver for SQLite is missing (Debian: libqt6sql6-sqlite).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was read of runs is not kept for the next start: %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunNews</name>
    <message>
        <source>%1: the best so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Validation loss %1 in epoch %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 begins again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 needs attention</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunTrash</name>
    <message>
        <source>%1 runs, or may go on where it is not seen from here. Stop it first; open it to see how it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be moved to the trash: there is none on its disk, or the folder may not be changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is there again already.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is no longer in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 cannot be put back: its place is gone, or may not be changed.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunWarnings</name>
    <message>
        <source>Warnings before it: %1. The log has them all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show log</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunsAxes</name>
    <message>
        <source>%1 runs are too many lines; type above what they are to have, until %2 are left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axes need two runs or more that differ in two settings or results, or more. Columns, above, chooses the settings.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunsModel</name>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was tested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of the test data; %2 is better</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>higher</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lower</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1. The best of %2 runs of %3.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1  %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The best after an epoch, of the validation data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of a run that was resumed: its newest start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All starts of a run together; its newest start alone where one of them left no summary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Took</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Best validation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test score</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tags</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunsPage</name>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow the chosen run, or look at it when it has ended (Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name, tags and note …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the run is called, found by and remembered for (F2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open its folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the chosen run as one page, with its curves and its job file, to hand to others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the chosen runs to the trash (Del)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter (Ctrl+F): digits failed learning_rate=0.01</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter runs by words</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read the runs folder again (F5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every word that is typed must be found: in the name of the job, the status, the date, the folder, what you say of the run, or a value of its settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No runs listed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every launch gets a folder with its job, log, checkpoints and history. They are listed here, and a run that still runs can be followed again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with the best</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its curves beside those of the best other run of its job (Ctrl+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose 2 to %1 runs, with Ctrl or Shift: their curves on the same charts, and what differs in their jobs (Ctrl+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run is open in the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One is open in the window and stays. </source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 is in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 runs are in the trash.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close it (Run, Close this run), then delete it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not all is back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the runs as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A list, or an axis for each setting and result with a line for each run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::RunsPlaceBar</name>
    <message>
        <source>Change …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one folder for the runs of all jobs, here and on the terminal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beside the job file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs lie beside their job files again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New runs: %1 (%2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show it in the file manager</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is made with the first run</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::SampleGrid</name>
    <message>
        <source>Sample predictions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No samples yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample %1: %2, recognised with %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample %1: %2, taken for %3 with %4</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::SamplePager</name>
    <message>
        <source>All samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compute what this checkpoint says of every sample, and show them all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The samples before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Computing … %1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1–%2 of %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::SamplesCard</name>
    <message>
        <source>Samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples of each class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the data …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the data … %1 of %2 images</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reading the data … %1 prepared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What decides these samples was changed since they were read.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counts of the classes, what is skipped, and images as training will see them. Reading all of the data may take a while.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reading was stopped: the job&apos;s data were changed meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The reading was stopped when the page was left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Class</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2, the rest %3</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ScoreDelegate</name>
    <message>
        <source>best</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::SettingColumns</name>
    <message>
        <source>Columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which settings of the jobs are shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ShareRun</name>
    <message>
        <source>Writing …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share …</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share the run as a page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page (*.html)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The page was not written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run was written to %1.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One page with its curves, scores and job file, which opens in any browser.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::SmoothingControl</name>
    <message>
        <source>Smoothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weight of the past in the drawn mean; the raw line stays visible behind</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::Sparkline</name>
    <message>
        <source>Last values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>newest %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::StatePill</name>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State: %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::StatusLine</name>
    <message>
        <source>%1 samples/s</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::StuckNotice</name>
    <message>
        <source>Wait longer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run ends in %1 s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It restarts from its newest step, kept in memory, in %1 s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It restarts from its newest checkpoint in %1 s.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::TextDetails</name>
    <message>
        <source>Text that the network wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This evaluation has no text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The beginning, in pale, was given; the rest was written by the network, at temperature %1.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ValueDetails</name>
    <message>
        <source>Predicted less true: %1 in the mean, deviation %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; half of all lie from %1 to %2, nine of ten from %3 to %4, all from %5 to %6.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 more target not shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 more targets not shown.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::ValuePlot</name>
    <message>
        <source>Predicted against true values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 values of %2, the worst off by %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>true %1, predicted %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 too high</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1: %2 too low</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No values yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a value, or use the arrow keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>true %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted less true, in steps of %1</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::WindowActions</name>
    <message>
        <source>&amp;File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Images: the digits example</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A &amp;table: what houses cost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A te&amp;xt: a tiny GPT that writes plays</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A &amp;program of your own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Several &amp;hosts, over ssh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On a &amp;Slurm cluster</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Open job…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Recent jobs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A&amp;ttach to run folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save c&amp;hart as…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy c&amp;hart</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Filter figures, log or runs…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Home</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Live</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Evaluator</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>L&amp;ogs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>R&amp;uns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Re&amp;fresh the runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Notify when another window is in front</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Check the hosts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Resume from the newest checkpoint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Stop after this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;End the processes now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Drill…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Close this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop watching; a detached run goes on by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>&amp;About Lockstep</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>lockstep::ui::XAxisControl</name>
    <message>
        <source>X axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the x axis counts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Epochs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Relative time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With the pauses between the starts of a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log x</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>X axis: logarithmic scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The time of day has no logarithmic scale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Logarithmic scale of the x axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is shown here says nothing of epochs: steps are shown</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
