import { type Caller, type Page } from '../../base/core/caller.js'

/** An app that the operator offers to every project. */
export interface LibraryAppView {
  package: string
  label: string
  versionCode: number
  versionName: string
}

export interface LibraryService {
  /**
   * Returns apps sorted by package, in pages of 50. @param query a part of a package or label, in any case @throws
   * ApiError rate_limited during the first load of the library; validation_failed for an invalid cursor
   */
  search(caller: Caller, query: string | null, cursor: string | null): Promise<Page<LibraryAppView>>
}
