"""Every example of the help and of the README is run as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from gpurent.cli.app import app
from gpurent.publish.sample_key import sample_public_pem
from tests.cli.conftest import Call, in_a_shell
from tests.cli.test_app import COMMANDS
from tests.cli.test_operation_page import PARTIAL, cron_lines
from tests.collectors.cases import FIXTURES
from tests.conftest import ROOT
from tests.daily.days import at, offer, snapshot
from tests.sample_run import SampleRun

SELLERS = ("runpod", "vultr", "lambda", "hyperstack")
# what each of these needs to have been done before
BEFORE = {
    "index": "gpurent ingest prices/*.json.gz --source gpurentalprices",
    "daily --day": "gpurent ingest prices/*.json.gz --source gpurentalprices",
}
WRITING = ("daily", "collect", "ingest", "index", "init")
README = (ROOT / "README.md").read_text(encoding="utf-8")
NETWORK = ("gpurent daily", "gpurent collect", "gpurent collect azure gpurentalprices")
REFUSED = 2
SOURCE_FAILED = 4


def examples_of(command: str) -> list[str]:
    """The command lines below `Examples:`; what stands behind two blanks or more is a remark."""
    found = app
    for word in command.split():
        found = found[word]
    head, *lines = str(found.help_epilogue).splitlines()
    assert head == "Examples:"
    return [re.split(r"\s{2,}", line.strip())[0] for line in lines]


EXAMPLES = [example for command in COMMANDS for example in examples_of(command)]
READING = [example for example in EXAMPLES if example.split(" ")[1] not in WRITING]


def tokens_of(example: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words behind `gpurent`, with variables set and file names filled in, as a shell would."""
    words = shlex.split(example)
    while "=" in words[0]:
        monkeypatch.setenv(*words.pop(0).split("=", 1))
    assert words.pop(0) == "gpurent"
    return [
        word
        for words_of in words
        for word in (sorted(map(str, Path().glob(words_of))) if "*.json" in words_of else [words_of])
    ]


@pytest.fixture(scope="module")
def sample_desk(sample_run: SampleRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`gpurent-sample/` after the sample, with the publisher's public key beside it."""
    folder = sample_run.copy_to(tmp_path_factory.mktemp("examples"))
    (folder / "desk.pub.pem").write_bytes(sample_public_pem())
    return folder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files the examples speak of."""
    (tmp_path / "prices").mkdir()
    for number in (38, 39):
        when = at(number)
        body = snapshot(when, [offer(name, 2.0 + n / 10) for n, name in enumerate(SELLERS)])
        (tmp_path / "prices" / f"{when.date()}.json.gz").write_bytes(body)  # told by content, not by suffix
    shutil.copy(FIXTURES / "focus" / "bill.csv", tmp_path)
    for path in sorted((ROOT / "gpurent" / "sample" / "archive").glob("*/2026081[45]*.warc.gz")):
        (tmp_path / "archive" / path.parent.name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "archive" / path.parent.name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("example", READING)
def test_an_example_that_reads_works_in_the_folder_of_the_sample(
    sample_desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch, example: str
) -> None:
    monkeypatch.chdir(sample_desk)
    ended = call(*tokens_of(example, monkeypatch))
    assert ended.exit_code == 0, ended.err
    assert ended.out.strip()
    if "--json" in example:
        assert isinstance(ended.document, dict)


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one not in (*READING, *NETWORK)])
def test_an_example_that_writes_works(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch, sample_run: SampleRun, example: str
) -> None:
    if example == "gpurent daily --sample":
        # the run all tests share is this very line
        assert (sample_run.exit_code, sample_run.document["is_sample"]) == (0, True)
        return
    for words, before in BEFORE.items():
        if example.startswith(f"gpurent {words}"):
            assert call(*tokens_of(before, monkeypatch)).exit_code == 0
    ended = call(*tokens_of(example, monkeypatch))
    expected = 0
    if example.startswith("gpurent daily --day"):
        # what is read today of a day that is over was not known at its cut-off: nothing of it is live
        assert (ended.exit_code, ended.out) == (REFUSED, "")
        assert "gpurent index --from 2026-08-15 --to 2026-08-15" in ended.err
        return
    if example.startswith("gpurent collect --replay"):
        # on the last days of the sample Oracle's list does not answer
        expected = SOURCE_FAILED
    assert ended.exit_code == expected, ended.err
    assert ended.out.strip()


def test_examples_that_ask_sources_are_run_against_a_server_of_ours(desk: Path, endpoint: str) -> None:
    # a day of the crontab, which is run whole, has the other two
    crontab = " ".join(command for _, command in cron_lines())
    assert all(f".venv/bin/{example} " in crontab for example in NETWORK[:2])
    command = f"{sys.executable} -m {NETWORK[2]}"
    ended = in_a_shell(command, desk, endpoint, GPURENT_CONTACT="you@example.org")
    assert ended.returncode == PARTIAL, ended.stderr
    assert "gpurentalprices  complete" in ended.stdout


def between_marks(section: str) -> str:
    return README.partition(f"<!-- {section}: begin -->")[2].partition(f"<!-- {section}: end -->")[0]


def commands_of_readme(section: str) -> list[str]:
    """The command lines between two marks; what stands behind two blanks and a # is a remark."""
    return [
        re.split(r"\s{2,}#", line)[0]
        for block in re.findall(r"^```\n(.*?)^```$", between_marks(section), re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]


def test_what_the_readme_asks_the_sample_is_answered(sample_desk: Path, endpoint: str) -> None:
    commands = commands_of_readme("the sample")
    assert [command.split()[0] for command in commands] == ["gpurent"] * 6 + ["python"]
    for command in commands:
        python = command.startswith("python ")
        program = f"{sys.executable} {command.removeprefix('python ') if python else f'-m {command}'}"
        ended = in_a_shell(program, sample_desk, endpoint, COLUMNS="80")
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.strip()
    # a table of five columns fits a narrow terminal
    assert "reference" in ended.stdout
    assert "traded" in ended.stdout


def test_what_the_readme_does_with_own_prices_works_in_that_order(
    desk: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert desk.is_dir()
    outcomes = [call(*tokens_of(command, monkeypatch)) for command in commands_of_readme("own prices")]
    assert [ended.exit_code for ended in outcomes] == [0, 0, 0, 0], outcomes
    # four equal voices: the trim leaves the middle two
    assert "2.1500" in outcomes[2].out
    assert "advertised leg 2.1500" in outcomes[3].out


def test_the_table_of_the_readme_is_the_samples(sample_run: SampleRun) -> None:
    rows = {f"{row['code']}.{row['bucket']}": row for row in sample_run.document["table"]}
    shown = re.findall(r"^\| `([^`]+)` \| (.+?) \|$", between_marks("sample table"), re.MULTILINE)
    assert len(shown) >= 6
    for code, cells in shown:
        row = rows[code]
        legs = [row[f"{leg}_usd_per_gpu_hour"] for leg in ("reference", "advertised", "traded")]
        expected = [
            f"{row['level']} {row['label'].replace('_', ' ')}",
            row["letter"],
            *("-" if value is None else f"{value:.4f}" for value in legs),
            f"{row['trade_weight'] * 100:.0f} %",
        ]
        assert cells.split(" | ") == expected, f"README.md: {code} is | {' | '.join(expected)} |"
