/**
 * Reads screens. `grpc/` calls `observe` and `takeScreenshot`; the command `elements` calls `observationFromXml`, and a bench
 * through the package's export `@phonerack/host-agent/elements`.
 */
export { observe, type ObserveOptions } from './observe.js'
export { observationFromXml } from './from-xml.js'
export { takeAnnotatedScreenshot } from './annotated.js'
export { takeScreenshot, type Screenshot, type ScreenshotOptions } from './screenshot.js'
export {
  createSnapshotStore,
  type SnapshotLimits,
  type SnapshotOwner,
  type Snapshots,
  type SnapshotStore,
} from './snapshots.js'
export { takeThumbnail, type Covered, type Thumbnail } from './thumbnail.js'
export { ScreenImageError, ScreenXmlError } from './errors.js'
