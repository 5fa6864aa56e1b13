/** A card with a list that is loaded page by page. */
import { type ComponentProps, type ReactNode } from 'react'
import { Button } from './button'
import { Loaded } from './failed'
import { Card, Empty } from './page'

interface ListCardProps<T> {
  query: ComponentProps<typeof Loaded>['query']
  items: readonly T[]
  icon: ReactNode
  /** The name of the list for screen readers, or the ID of its heading. */
  label: string | { id: string }
  /** The heading of an empty list, and the text below the heading. */
  none: string
  hint?: ReactNode
  /** Another view of the items, in place of the list. */
  instead?: ReactNode
  children: (item: T, at: number) => ReactNode
}

export function ListCard<T>({ query, items, icon, label, none, hint, instead, children }: ListCardProps<T>) {
  const named = typeof label === 'string' ? { 'aria-label': label } : { 'aria-labelledby': label.id }
  return (
    <Card>
      <Loaded query={query}>
        {() =>
          items.length === 0 ? (
            <Empty icon={icon} title={none}>
              {hint}
            </Empty>
          ) : (
            instead || (
              <ul {...named} className="divide-y divide-border">
                {items.map(children)}
              </ul>
            )
          )
        }
      </Loaded>
    </Card>
  )
}

interface Pages {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

export const ShowMore = ({ pages }: { pages: Pages }) =>
  pages.hasNextPage && (
    <Button
      className="justify-self-center"
      isBusy={pages.isFetchingNextPage}
      onClick={() => void pages.fetchNextPage()}
    >
      Show more
    </Button>
  )

/**
 * The interval of reads while only the newest page of a list is shown. A longer list is not read again, because each
 * page would be a request.
 */
export const whileNewest =
  (refreshMs: number) =>
  ({ state }: { state: { data: { pages: readonly unknown[] } | undefined } }): number | false =>
    (state.data?.pages.length ?? 0) <= 1 ? refreshMs : false
