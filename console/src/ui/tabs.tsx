import { Tabs as Radix } from 'radix-ui'
import { type ReactNode } from 'react'

/** @param tabs names and contents, of which the first is shown */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly (readonly [string, ReactNode])[] }) => (
  <Radix.Root defaultValue={tabs[0]?.[0] ?? ''} className="grid min-w-0">
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
