"""Files read below a folder: no symlink followed, and no more bytes read than were asked for."""

from reference_host.files._beneath import open_beneath, opened_folder
from reference_host.files._window import Window, read_window

__all__ = ["Window", "open_beneath", "opened_folder", "read_window"]
