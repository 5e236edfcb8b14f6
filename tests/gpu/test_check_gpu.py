#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of check_gpu.py what needs no GPU: it reads what bench_gpu prints, and no check ends the others."""

import json
import pathlib
import re
import shutil
import tempfile
import tomllib
import unittest
import zlib

import check_gpu
import described_networks
import gpu_jobs
import pack

BENCH = pathlib.Path(__file__).resolve().parent.parent / "bench" / "bench_gpu.cpp"


def figure_of_bench():
    """A line of bench_gpu with the keys of its source."""
    keys = re.findall(r'\\"(\w+)\\":', BENCH.read_text(encoding="utf-8"))
    line = dict.fromkeys(keys, 40.0)
    return {**line, "batch": 512, "precision": "tf32", "captured": True}


class PretendedMachine:
    """Programs that answer with `text`."""

    folder = pathlib.Path("nowhere")

    def __init__(self, *texts):
        self.texts = list(texts)

    def program(self, name):
        return name

    def run(self, _arguments, _timeout, **_more):
        return 0, self.texts.pop(0), ""


class SpeedTest(unittest.TestCase):
    def test_what_the_benchmark_prints_is_what_is_read(self):
        torch = {"batch": 512, "precision": "tf32", "how": "eager", "median_us": 120.0}
        machine = PretendedMachine(json.dumps(figure_of_bench()), json.dumps(torch))
        table = check_gpu.Table()
        check_gpu.speed(machine, table)
        [(result, what, detail)] = table.lines
        self.assertEqual(result, "figure")
        self.assertIn("batch 512, tf32, one graph", what)
        self.assertIn("40.0 us", detail)
        self.assertIn("100 % of it", detail)
        self.assertIn("3.0 times", detail)


class MeshTest(unittest.TestCase):
    def lines_of(self, gpus, backend="nccl", loss=0.25):
        table = check_gpu.Table()
        jobs = gpu_jobs.Jobs(PretendedMachine(), table, pathlib.Path("nowhere"), None)
        played = []

        def run(_settings, processes=1, _environment=None, more=""):
            played.append((processes, more))
            alone = processes == 1
            return {"train_loss": 0.25 if alone else loss, "samples_per_second": 1.0,
                    "backend": "single" if alone else backend}, ""
        jobs.run = run
        jobs.on_meshes(gpus)
        return [(result, what) for result, what, _ in table.lines], played

    def test_every_mesh_that_there_are_gpus_for_is_played(self):
        names = [f"a network that a mesh of {mesh} GPUs shares" for mesh in ("1 x 2", "2 x 2", "1 x 4")]
        for gpus, played in ((1, 0), (2, 1), (3, 1), (4, 3)):
            lines, jobs = self.lines_of(gpus)
            self.assertEqual(lines, list(zip(["ok"] * played + ["skipped"] * (3 - played), names)))
            self.assertEqual([count for count, _ in jobs], [1] + [2, 4, 4][:played])
        self.assertIn("model = 4", jobs[-1][1])

    def test_another_loss_and_another_way_fail(self):
        self.assertEqual({result for result, _ in self.lines_of(4, backend="gloo")[0]}, {"FAILED"})
        self.assertEqual({result for result, _ in self.lines_of(4, loss=0.2503)[0]}, {"FAILED"})


class RunTest(unittest.TestCase):
    def test_what_a_program_said_before_it_took_too_long_is_kept(self):
        machine = check_gpu.Machine(pathlib.Path("nowhere"))
        status, said, _ = machine.run(["sh", "-c", "echo ok a; exec sleep 60"], 1)
        self.assertEqual((status, said), (124, "ok a\n"))


class NetworksTest(unittest.TestCase):
    def test_a_picture_is_one_that_others_read(self):
        picture = described_networks.png(bytes(range(12)), 2)
        self.assertEqual(picture[:8], b"\x89PNG\r\n\x1a\n")
        at, kinds = 8, []
        while at < len(picture):
            size = int.from_bytes(picture[at:at + 4], "big")
            kind, data = picture[at + 4:at + 8], picture[at + 8:at + 8 + size]
            kinds.append(kind)
            if kind == b"IDAT":
                self.assertEqual(zlib.decompress(data), b"\0" + bytes(range(6)) + b"\0" + bytes(range(6, 12)))
            at += 12 + size
        self.assertEqual(kinds, [b"IHDR", b"IDAT", b"IEND"])

    def test_every_job_that_is_timed_is_one_of_the_sources(self):
        top = pathlib.Path(__file__).resolve().parents[2]
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            packed = folder / "networks"
            packed.mkdir()
            for source in pack.NETWORKS:
                shutil.copyfile(top / source, packed / pathlib.Path(source).name)
            found = described_networks.jobs(folder, folder / "data", "mnist", folder)
            self.assertEqual(sorted(found), ["houses", "mnist-cnn", "resnet18", "resnet20", "tiny-gpt"])
            for _, job, _ in found.values():
                self.assertTrue(job.exists(), job)
            smoothed = tomllib.loads(found["resnet18"][1].read_text(encoding="utf-8"))
            self.assertEqual(smoothed["training"]["label_smoothing"], 0.1)
            self.assertEqual(smoothed["model"]["layers"][0]["filters"], 64)

    def test_theirs_stand_beside_ours(self):
        theirs = [{"how": "eager", "median_us": 3000.0}, {"how": "compiled", "problem": "no compiler"}]
        self.assertEqual(described_networks.compared(1.5, theirs), "; PyTorch eager 3.000 ms: 2.00 times")
        self.assertEqual(described_networks.compared(1.5, []), "")


class GuardTest(unittest.TestCase):
    def test_a_check_that_breaks_is_a_line_of_the_table(self):
        def broken(_table):
            raise KeyError("products_us")
        table = check_gpu.Table()
        check_gpu.guarded(table, "a check", broken, table)
        self.assertEqual(table.lines, [("FAILED", "a check", "KeyError: 'products_us'")])

    def test_a_check_that_works_gives_its_result(self):
        table = check_gpu.Table()
        self.assertEqual(check_gpu.guarded(table, "a check", lambda: 7), 7)
        self.assertEqual(table.lines, [])


if __name__ == "__main__":
    unittest.main()
