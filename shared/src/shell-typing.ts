/** Texts that a shell command types on the screen, which are masked like other typed texts. Pure. docs/decisions/0278 */

const typing = /\binput\b[^\n;|&]*?\btext\s+([^\n;|&]+)/g

/** The texts of the calls of `input text` in a command or a script; empty: none was recognised. */
export const typedByShell = (script: string): string[] =>
  [...script.matchAll(typing)].map(([, text = '']) =>
    text
      .trim()
      .replace(/^(['"])(.*)\1$/, '$2')
      .replaceAll('%s', ' '),
  )
