/** Builds screens for tests: drafts of nodes, as XML of both dialects. */
export interface Draft {
  class?: string
  text?: string
  desc?: string
  id?: string
  package?: string
  /** Null when the attribute is omitted. */
  bounds?: readonly [number, number, number, number] | null
  /** Attributes that are `true`: `clickable`, `checked`, and so on. */
  flags?: readonly string[]
  attributes?: Readonly<Record<string, string>>
  children?: readonly Draft[]
}

/** Returns the XML of `uiautomator dump`. */
export const dumpXml = (...roots: readonly Draft[]): string =>
  `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">${roots
    .map((root) => write(root, () => 'node'))
    .join('')}</hierarchy>`

/** Returns the UI server's page source. */
export const pageSource = (...roots: readonly Draft[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2400">${roots
    .map((root) => write(root, (draft) => draft.class ?? 'android.view.View'))
    .join('\n')}</hierarchy>`

const escapeXml = (text: string): string =>
  text
    .replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`)
    .replace(/[\t\n\r]/g, (found) => `&#${found.charCodeAt(0)};`)

function write(draft: Draft, tagOf: (draft: Draft) => string): string {
  const [left, top, right, bottom] = draft.bounds ?? [0, 0, 0, 0]
  const attributes: Record<string, string> = {
    index: '0',
    text: draft.text ?? '',
    'resource-id': draft.id ?? '',
    class: draft.class ?? 'android.view.View',
    package: draft.package ?? 'com.example.app',
    'content-desc': draft.desc ?? '',
    enabled: 'true',
    ...(draft.bounds === null ? {} : { bounds: `[${left},${top}][${right},${bottom}]` }),
    ...Object.fromEntries((draft.flags ?? []).map((flag) => [flag, 'true'])),
    ...draft.attributes,
  }
  const tag = tagOf(draft)
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${escapeXml(value)}"`)
  const children = (draft.children ?? []).map((child) => write(child, tagOf)).join('')
  return `<${tag} ${written.join(' ')}>${children}</${tag}>`
}
