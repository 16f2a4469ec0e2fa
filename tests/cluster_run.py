"""The driver of test_cluster_that_loses_a_worker: fits on a cluster and prints what it found.

Every batch that is summed leaves a file with the process that did it, and takes its time, so that
the test can kill a worker in the middle of the passes. The rows that it kept are lost with it.
"""

import json
import os
import sys
import time
import uuid
import warnings
from pathlib import Path

from sklearn.linear_model import LogisticRegression

from stakes.scale import SparkTable, _exact, fit_parts, survey


class SlowSums(_exact.AddSums):
    marks = ""

    def __call__(self, sums, rows):
        name = f"{os.environ.get('SPARK_EXECUTOR_DIRS', os.getppid())}".replace("/", "_")
        Path(self.marks, f"{name[-60:]}@{uuid.uuid4().hex}").touch()
        time.sleep(0.1)
        return super().__call__(sums, rows)


def registered(spark, wanted=2, seconds=120.0):
    """How many executors there are; a cluster that has just started gets time to have them all."""
    end = time.monotonic() + seconds
    while True:
        found = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
        if found >= wanted or time.monotonic() > end:
            return found
        time.sleep(0.1)


def main(url, folder, marks):
    from pyspark.sql import SparkSession  # where it is missing, this file is still collected

    warnings.simplefilter("ignore")
    build = SparkSession.builder.master(url).config("spark.executor.memory", "512m")
    build = build.config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    build = build.config("spark.ui.showConsoleProgress", "false")
    build = build.config("spark.scheduler.minRegisteredResourcesRatio", "1.0")
    build = build.config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
    spark = build.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    executors = registered(spark)
    frame = spark.read.parquet(folder).repartitionByRange(8, "id")
    costs = dict(fp_cost="max(5, 0.05*amount)", fn_cost="amount")
    table = survey(SparkTable(frame), "fraud", costs=costs, drop="id")
    _exact.AddSums, SlowSums.marks = SlowSums, marks
    model = fit_parts(LogisticRegression(), table).model[1]
    hosts = sorted({path.name.split("@")[0] for path in Path(marks).iterdir()})
    found = dict(coef=model.coef_[0].tolist(), rows=table.rows, executors=executors, hosts=hosts)
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
