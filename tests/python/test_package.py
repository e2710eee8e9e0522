"""The package as installed: small, typed, without dependencies, and as described on its page."""

from __future__ import annotations

import doctest
import importlib.metadata
import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import fusescape
import pytest

PAGE = (Path(__file__).parents[2] / "docs/python.md").read_text()


def test_it_needs_no_other_package() -> None:
    needed = importlib.metadata.requires("fusescape") or []
    assert needed and all("extra ==" in requirement for requirement in needed)
    code = "import sys; before = set(sys.modules); import fusescape; print(*sorted(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    from_elsewhere = {name.split(".")[0] for name in loaded} - set(sys.stdlib_module_names) - {"fusescape"}
    assert not from_elsewhere


def test_it_is_typed_and_says_its_version() -> None:
    folder = Path(fusescape.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_fusescape.pyi").exists()
    assert fusescape.__version__ == importlib.metadata.version("fusescape")


def test_types_of_what_is_found_are_those_of_the_schemas() -> None:
    tool = Path(__file__).parents[2] / "tools/result-types.py"
    subprocess.run([sys.executable, str(tool), "--check"], check=True)


def test_everything_public_is_described() -> None:
    for name in fusescape.__all__:
        thing = getattr(fusescape, name)
        assert name.startswith("__") or (thing.__doc__ or "").strip(), name


def test_the_help_of_commands_describes_every_option_and_they_take_no_other() -> None:
    options = json.loads((Path(__file__).parents[2] / "docs/options.json").read_text())["$defs"]
    names = {name for schema in options.values() for name in schema.get("properties", {})}
    commands = (thing for name in fusescape.__all__ if callable(thing := getattr(fusescape, name)))
    described = "".join(command.__doc__ or "" for command in commands)
    assert [name for name in sorted(names) if f":param {name}:" not in described] == []
    with pytest.raises(TypeError, match="most_layers"):
        fusescape.depth_first("zigzag-8x8", "three-convs", most_layers=2)  # type: ignore[call-arg]


def test_the_example_of_the_package_is_right() -> None:
    tried = doctest.testmod(fusescape)
    assert tried.attempted > 0 and tried.failed == 0


def test_every_command_has_an_example_on_its_page() -> None:
    examples = "".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.S))
    commands = [name for name in fusescape.__all__ if name.islower() and not name.startswith("__")]
    assert [name for name in commands if f"fusescape.{name}(" not in examples] == []


@pytest.mark.others
def test_the_examples_of_the_page_print_what_it_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Blocks of Python run one after another in a temporary folder; a block of text right behind one is its output."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", PAGE, flags=re.S)
    assert len(blocks) > 10
    for code, expected in blocks:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, "docs/python.md", "exec"), names)
        assert printed.getvalue() == expected, code
