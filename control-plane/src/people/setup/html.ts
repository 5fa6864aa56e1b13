/** The setup page's three views as HTML, without script. Every value is escaped. */
import { type Setup } from '../../gen/prisma/client.js'

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => escapes[found] ?? found)

/** HTML text. Output of `html` is kept; any other value is escaped. */
class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[]

const textOf = (part: Part): string =>
  part instanceof Html
    ? part.text
    : typeof part === 'object'
      ? part.map(textOf).join('')
      : escapeHtml(String(part))

const html = (strings: TemplateStringsArray, ...parts: Part[]): Html =>
  new Html(strings.reduce((page, text, at) => page + textOf(parts[at - 1] ?? '') + text))

/** The hash of this style is in `style-src`: see `routes/public/setup.ts`. */
export const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f3f4f6, #14161a); color: light-dark(#16181d, #e8eaee); }
main { width: min(26rem, calc(100vw - 2rem)); box-sizing: border-box; padding: 2rem; border-radius: 14px; background: light-dark(#fff, #1e2127); box-shadow: 0 1px 3px #0003, 0 12px 40px #0001; }
h1 { margin: 0 0 .25rem; font-size: 1.35rem; }
p { margin: .5rem 0 1rem; color: light-dark(#4a505c, #a8afbb); }
a { color: light-dark(#1a56f0, #7fa2ff); }
button:focus-visible, a:focus-visible { outline: 3px solid #3b82f680; outline-offset: 1px; }
ol { margin: 1rem 0; padding-left: 1.3rem; } li { margin: .6rem 0; }
code { display: block; margin: .4rem 0; padding: .5rem .7rem; overflow-wrap: anywhere; font: .95rem ui-monospace, monospace; border-radius: 8px; background: light-dark(#f3f4f6, #14161a); }
.note { margin-bottom: 0; font-size: .92rem; }
button { flex: 1; padding: .7rem 1rem; font: inherit; font-weight: 600; border-radius: 8px; border: 1px solid transparent; background: #1d5fd1; color: #fff; cursor: pointer; }
button.quiet { background: transparent; color: inherit; border-color: light-dark(#c3c8d1, #434a56); }
.row { display: flex; gap: .75rem; margin-top: 1.5rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .35rem 1rem; margin: 1rem 0; padding: 1rem; border-radius: 8px; background: light-dark(#f3f4f6, #14161a); }
dt { color: light-dark(#4a505c, #a8afbb); } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
.alert { padding: .7rem .9rem; border-radius: 8px; background: light-dark(#fdecec, #43201f); color: light-dark(#8c1d18, #ffb4ab); }
`

const page = (title: string, body: Html): string =>
  `<!doctype html>\n${
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Phonerack</title>
        ${new Html(`<style>${style}</style>`)}
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`.text
  }\n`

/** The page that a terminal names. It explains how the code leads to a key, and has no form. */
/** @param consoleOrigin the origin at which members of projects sign in */
export const startPage = (consoleOrigin: string): string =>
  page(
    'Connect a terminal',
    html`<h1>Connect a terminal</h1>
      <p>
        A terminal requests an API key and shows a code.
        <a href="${consoleOrigin}/console/connect">Confirm it in the console</a> if you belong to a project,
        or let an operator of this Phonerack confirm it:
      </p>
      <ol>
        <li>Give the code to an operator.</li>
        <li>The operator runs <code>./scripts/ctl setup approve CODE --project ID</code> and gets a link.</li>
        <li>Open the link. Compare the code there with the terminal, then allow or deny it.</li>
      </ol>
      <p class="note">
        The code and the link expire after 15 minutes. Pages of Phonerack never ask for an operator token.
      </p>`,
  )

/** Shows the terminal and the project that the operator chose. */
export const reviewPage = (
  { csrf, ticket }: { csrf: string; ticket: string },
  setup: Pick<Setup, 'client' | 'address' | 'createdAt'> & { code: string | null; projectName: string },
  now: Date,
): string =>
  page(
    'Give this terminal a key?',
    html`<h1>Give this terminal a key?</h1>
      <p>
        The key can rent and use phones and spend the project's credit. It does not expire. Allow it only if
        the terminal in front of you shows this code.
      </p>
      <dl>
        ${
          setup.code === null
            ? html`<dt>Code</dt>
                <dd>missing: the link is incomplete. Open it again as the operator gave it.</dd>`
            : html`<dt>Code</dt>
                <dd>${setup.code}</dd>`
        }
        <dt>Project</dt>
        <dd>${setup.projectName}</dd>
        <dt>Client</dt>
        <dd>${setup.client ?? 'not given'}</dd>
        <dt>Address</dt>
        <dd>${setup.address}</dd>
        <dt>Asked</dt>
        <dd>${ago(now.getTime() - setup.createdAt.getTime())}</dd>
      </dl>
      <form method="post" action="/setup/decide">
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="ticket" value="${ticket}" />
        <div class="row">
          <button name="decision" value="allow">Allow</button>
          <button class="quiet" name="decision" value="deny">Deny</button>
        </div>
      </form>`,
  )

export const donePage = (title: string, text: string): string =>
  page(
    title,
    html`<h1>${title}</h1>
      <p>${text}</p>`,
  )

function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute ago'
  return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
}
