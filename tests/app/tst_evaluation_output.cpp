// SPDX-License-Identifier: Apache-2.0
// What lockstepctl evaluate prints of a checkpoint.
#include <QtTest>

#include "app/ctl/evaluation_output.h"

using namespace lockstep;

class EvaluationOutputTest : public QObject {
    Q_OBJECT
private slots:
    void theMatrixHasARowForEachClass() {
        wire::Evaluation evaluation;
        evaluation.set_classes(2);
        for (const std::uint32_t count : {5U, 1U, 2U, 4U})
            evaluation.add_confusion(count);
        QCOMPARE(confusionOf(evaluation), std::string("[[5,1],[2,4]]"));
    }

    // 2^16 squared is 0 in 32 bits, the size of the matrix that is left out.
    void moreClassesThanAMatrixMayHaveAreToldByTheirCellsAlone() {
        wire::Evaluation evaluation;
        evaluation.set_classes(1U << 16U);
        evaluation.mutable_cells()->add_truth(7);
        evaluation.mutable_cells()->add_prediction(9);
        evaluation.mutable_cells()->add_count(3);
        QCOMPARE(confusionOf(evaluation), std::string("[]"));
        QCOMPARE(app::evaluationJson(evaluation).find("confusion_cells")->text(),
                 std::string(R"([{"count":3,"prediction":9,"truth":7}])"));
    }

private:
    static std::string confusionOf(const wire::Evaluation& evaluation) {
        return app::evaluationJson(evaluation).find("confusion")->text();
    }
};

QTEST_GUILESS_MAIN(EvaluationOutputTest)
#include "tst_evaluation_output.moc"
