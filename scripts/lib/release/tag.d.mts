export interface ReleasedManifest {
  file: string
  version: string | undefined
  repository?: string
}
export const npmPackages: readonly { folder: string; file: string }[]
export function manifestsOf(root: string): ReleasedManifest[]
export function refusalOfTag(
  tag: string,
  manifests: readonly ReleasedManifest[],
  repository: string,
): string | null
