/** Errors of the phone's file system, with Linux' numbers and bionic's `strerror` texts. */

const table = {
  EPERM: [1, 'Operation not permitted'],
  ENOENT: [2, 'No such file or directory'],
  EIO: [5, 'I/O error'],
  EACCES: [13, 'Permission denied'],
  EBUSY: [16, 'Device or resource busy'],
  EEXIST: [17, 'File exists'],
  EXDEV: [18, 'Cross-device link'],
  ENOTDIR: [20, 'Not a directory'],
  EISDIR: [21, 'Is a directory'],
  EINVAL: [22, 'Invalid argument'],
  ENOSPC: [28, 'No space left on device'],
  EROFS: [30, 'Read-only file system'],
  ENAMETOOLONG: [36, 'File name too long'],
  ENOTEMPTY: [39, 'Directory not empty'],
  ELOOP: [40, 'Too many symbolic links encountered'],
} as const satisfies Record<string, readonly [number, string]>

type FsErrorCode = keyof typeof table

export class FsError extends Error {
  /** Linux' errno. */
  readonly errno: number

  /** `message` is bionic's `strerror`. The command that prints it puts the path before it. */
  constructor(
    readonly code: FsErrorCode,
    readonly path: string,
  ) {
    super(table[code][1])
    this.name = 'FsError'
    this.errno = table[code][0]
  }
}
