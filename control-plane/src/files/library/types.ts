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
   * Sorted by package, in pages of 50; `query`: part of a package or label, in any case. @throws
   * ApiError rate_limited while the library loads for the first time; validation_failed for an
   * invalid cursor
   */
  search(caller: Caller, query: string | null, cursor: string | null): Promise<Page<LibraryAppView>>
}
