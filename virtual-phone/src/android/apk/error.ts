/**
 * Why a package cannot be installed, with the error texts of Android's package manager. Thrown by
 * `android/apk` and `android/install`.
 */
export class InstallError extends Error {
  /** `code` as in `PackageManager.INSTALL_*`. Without a message, Android prints only the code. */
  constructor(
    readonly code: `INSTALL_${string}`,
    message = '',
  ) {
    super(message)
    this.name = 'InstallError'
  }

  /** The text in `Failure [...]`. */
  get text(): string {
    return this.message === '' ? this.code : `${this.code}: ${this.message}`
  }
}
