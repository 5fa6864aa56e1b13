/**
 * Remembers which client a reader uses: a chosen tab is chosen in every group of tabs, on this page and on all other pages.
 * VitePress renders a group as radio buttons with labels, and a block for each.
 */

const key = 'phonerack-docs-client'
/** Other tabs, such as names of files, are not remembered. */
const clients: ReadonlySet<string> = new Set(['curl', 'TypeScript', 'Python', 'CLI', 'MCP'])

const inputsOf = (group: Element): HTMLInputElement[] => [
  ...group.querySelectorAll<HTMLInputElement>('.tabs input'),
]
const nameOf = (group: Element, input: HTMLInputElement): string =>
  group.querySelector(`label[for="${CSS.escape(input.id)}"]`)?.textContent.trim() ?? ''

function select(group: Element, name: string): void {
  const inputs = inputsOf(group)
  const at = inputs.findIndex((input) => nameOf(group, input) === name)
  const blocks = group.querySelector('.blocks')?.children
  if (at < 0 || !blocks) return
  for (const [index, input] of inputs.entries()) {
    input.checked = index === at
    blocks[index]?.classList.toggle('active', index === at)
  }
}

function selectEverywhere(name: string): void {
  for (const group of document.querySelectorAll('.vp-code-group')) select(group, name)
}

/** Storage is not available in some private windows. */
function remembered(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

function remember(name: string): void {
  try {
    localStorage.setItem(key, name)
  } catch {
    // The choice then lasts as long as the page.
  }
}

/** For the groups of a page that was just shown. */
export function selectRemembered(): void {
  const name = remembered()
  if (name !== null) selectEverywhere(name)
}

/** Returns a function that stops watching. */
export function watchTabs(): () => void {
  const onChange = ({ target }: Event): void => {
    if (!(target instanceof HTMLInputElement)) return
    const group = target.closest('.vp-code-group')
    if (!group) return
    const name = nameOf(group, target)
    if (!clients.has(name)) return
    remember(name)
    // Groups above this one change their height.
    const before = group.getBoundingClientRect().top
    selectEverywhere(name)
    window.scrollBy(0, group.getBoundingClientRect().top - before)
  }
  document.addEventListener('change', onChange)
  return () => document.removeEventListener('change', onChange)
}
