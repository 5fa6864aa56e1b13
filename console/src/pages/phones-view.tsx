/** Shows the phones as a list or as a wall of pictures. The page's address stores the choice. */
import { useNavigate } from '@tanstack/react-router'
import { LayoutGrid, List } from 'lucide-react'
import { type PhoneFilter, type PhonesView } from '../api/types'
import { cn } from '../ui/cn'

/** The query of the page's address. The default view is the list. */
export const searchOf = (filter: PhoneFilter, view: PhonesView): Record<string, string> => ({
  ...filter,
  ...(view === 'wall' ? { view } : {}),
})

const views = [
  ['list', 'List', List],
  ['wall', 'Wall', LayoutGrid],
] as const

export function ViewSwitch({ filter, view }: { filter: PhoneFilter; view: PhonesView }) {
  const navigate = useNavigate()
  return (
    <div
      role="group"
      aria-label="View"
      className="ml-auto flex w-fit rounded-md bg-surface shadow-[inset_0_0_0_1px_var(--control)]"
    >
      {views.map(([each, name, Icon]) => (
        <button
          key={each}
          type="button"
          aria-pressed={view === each}
          className="h-size rounded-md p-[3px]"
          onClick={() => void navigate({ to: '.', search: searchOf(filter, each), replace: true })}
        >
          <span
            className={cn(
              'flex h-full items-center gap-1.5 rounded px-2.5 text-muted hover:text-foreground [&_svg]:size-4',
              view === each && 'bg-hover font-medium text-foreground',
            )}
          >
            <Icon aria-hidden /> {name}
          </span>
        </button>
      ))}
    </div>
  )
}
