/** The theme: light, dark, or the system's theme. `index.html` applies it before the first paint. */
import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark' | 'system'

const key = 'phonerack.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

const chosen = (): Theme => {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function apply(): void {
  const theme = chosen()
  document.documentElement.classList.toggle('dark', theme === 'system' ? dark.matches : theme === 'dark')
  for (const listener of listeners) listener()
}

dark.addEventListener('change', apply)

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  apply()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)
