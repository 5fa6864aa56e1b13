import { Tabs as Radix } from 'radix-ui'
import { type ReactNode } from 'react'

interface Props {
  label: string
  /** Names and contents of the tabs. */
  tabs: readonly (readonly [string, ReactNode])[]
  /** Stores the name of the shown tab outside, such as in the page's address; omitted: the component keeps it. */
  kept?: { shown: string | undefined; onShow: (name: string) => void }
}

/** The name if such a tab exists, else the name of the first tab. */
const existing = (tabs: Props['tabs'], name: string | undefined): string =>
  (tabs.find(([each]) => each === name) ?? tabs[0])?.[0] ?? ''

export const Tabs = ({ label, tabs, kept }: Props) => (
  <Radix.Root
    {...(kept
      ? { value: existing(tabs, kept.shown), onValueChange: kept.onShow }
      : { defaultValue: existing(tabs, undefined) })}
    className="grid min-w-0"
  >
    <Radix.List
      aria-label={label}
      className="flex [scrollbar-width:none] gap-1 overflow-x-auto shadow-[inset_0_-1px_var(--border)]"
    >
      {tabs.map(([name]) => (
        <Radix.Trigger
          key={name}
          value={name}
          className="min-h-size border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted hover:text-foreground focus-visible:-outline-offset-2 data-[state=active]:border-primary data-[state=active]:text-foreground"
        >
          {name}
        </Radix.Trigger>
      ))}
    </Radix.List>
    {tabs.map(([name, content]) => (
      <Radix.Content key={name} value={name} className="min-w-0 pt-3">
        {content}
      </Radix.Content>
    ))}
  </Radix.Root>
)
