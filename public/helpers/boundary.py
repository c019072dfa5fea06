"""Marks a boundary for Recovery Drills: from boundary import boundary; boundary("after-charge").
Without DRILL_CONTROL it does nothing. Protocol: docs/protocol.md. Python 3.8 or newer on Linux, no dependency."""
import itertools, json, os, signal, time, urllib.parse
from pathlib import Path

_dir, _owner = os.environ.get("DRILL_CONTROL"), os.environ.get("DRILL_OWNER")
_role, _hits = os.environ.get("DRILL_ROLE") or "executor", {}
_faults = json.loads(Path(_dir, "faults.json").read_text()) if _dir and Path(_dir, "faults.json").exists() else []

def _write(name, flags, text=""):
    file = os.open(Path(_dir, name), os.O_WRONLY | os.O_CREAT | flags, 0o644)
    os.write(file, text.encode())
    os.close(file)

def _owner_lives():
    try:
        return not _owner or Path("/proc", _owner, "stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False

def boundary(name):
    if not _dir: return
    pid = os.getpid()
    line = {"hit": next(_hits.setdefault((pid, name), itertools.count(1))), "role": _role, "pid": pid}
    _write("trace.ndjson", os.O_APPEND, json.dumps({"boundary": name, **line}) + "\n")
    for index, fault in enumerate(_faults):
        wanted = (fault["at"], fault.get("hit", 1), fault.get("role", _role))
        if wanted != (name, line["hit"], _role) or fault["action"] not in ("exit", "kill", "abort", "hold"): continue
        try: _write(f"fired-{index}", os.O_EXCL)  # a fault fires once a step
        except FileExistsError: continue
        if fault["action"] == "exit": os._exit(86)
        if fault["action"] == "kill": os.kill(-pid if os.getpgrp() == pid else pid, signal.SIGKILL)  # its group if it leads it
        if fault["action"] == "abort": os.abort()
        _write("trace.ndjson", os.O_APPEND, json.dumps({"held": name, **line}) + "\n")
        release = Path(_dir, f"release-{pid}-{urllib.parse.quote(name, safe='!*()' + chr(39))}-{line['hit']}")
        for turn in itertools.count(1):
            if release.exists(): break
            if turn % 50 == 0 and not _owner_lives(): os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)
