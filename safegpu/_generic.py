"""Generic classes that exist for the checker: to it, `typing.Generic`.

At run time such a class only takes its subscript, which stays in `__orig_bases__` where it is a base. typing's own
checks the parameters of each subscript, which takes more than a third of the time that the tokens are made in.
"""

import types
from typing import TYPE_CHECKING

__all__ = ["Generic"]

if TYPE_CHECKING:
    from typing import Generic
else:

    class Generic:
        __class_getitem__ = classmethod(types.GenericAlias)
