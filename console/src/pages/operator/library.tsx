/** The apps that every project can find and install, and their changes. */
import { useQuery } from '@tanstack/react-query'
import { Library, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client'
import { type LibraryApp } from '../../api/types'
import { useChange } from '../../shell/use-change'
import { Button } from '../../ui/button'
import { Ask, Confirm } from '../../ui/dialog'
import { Name } from '../../ui/name'
import { Card, Empty, Page } from '../../ui/page'
import { Time } from '../../ui/time'
import { AddApp } from './add-app'
import { Listed } from './listed'
import { bytesText } from '../../ui/bytes'

/** Milliseconds between two reads of the list. */
const refreshMs = 5000

export function LibraryPage() {
  const [isAdding, setIsAdding] = useState(false)
  const list = useQuery({
    queryKey: ['operator', 'library'],
    queryFn: () => call('GET /operator/library/apps', {}),
    refetchInterval: refreshMs,
  })
  const icon = <Library className="size-5" />
  const isOff = list.data?.is_configured === false
  return (
    <Page
      title="App library"
      description="Apps that every project can find and install on its phones."
      actions={
        <Button look="primary" disabled={isOff} onClick={() => setIsAdding(true)}>
          <Plus aria-hidden /> Add app
        </Button>
      }
    >
      <Listed query={list}>
        {({ data }) => (
          <Card>
            {isOff ? (
              <Empty icon={icon} title="Storage is off">
                <p>Set PHONERACK_STORAGE to a folder or a bucket to keep apps.</p>
              </Empty>
            ) : data.length === 0 ? (
              <Empty icon={icon} title="No apps yet">
                <p>Add an APK, with its splits if it has any.</p>
              </Empty>
            ) : (
              <ul aria-label="Apps" className="divide-y divide-border">
                {data.map((app) => (
                  <Row key={app.package} app={app} />
                ))}
              </ul>
            )}
          </Card>
        )}
      </Listed>
      {isAdding && <AddApp onClose={() => setIsAdding(false)} />}
    </Page>
  )
}

function Row({ app }: { app: LibraryApp }) {
  const [isAsking, setIsAsking] = useState(false)
  const change = useChange(['operator'])
  const splits = app.splits.length
  return (
    <li className="flex items-start gap-3 px-4 py-3 sm:items-center sm:px-5">
      <div className="grid min-w-0 flex-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(0,1fr)_12rem] sm:items-center">
        <div className="min-w-0">
          <p className="truncate font-medium">
            <bdi>{app.label}</bdi>
          </p>
          <p className="truncate font-mono text-xs text-muted">{app.package}</p>
        </div>
        <p className="grid grid-cols-1 text-[13px] text-muted tabular-nums">
          <span className="truncate">
            Version <Name>{app.version_name}</Name> ({app.version_code})
          </span>
          <span>
            {bytesText(app.size_bytes)}
            {splits > 0 && `, ${splits} ${splits === 1 ? 'split' : 'splits'}`} · added{' '}
            <Time at={app.added_at} />
          </span>
        </p>
      </div>
      <Button look="ghost" size="icon" aria-label={`Remove ${app.label}`} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden />
      </Button>
      <Confirm
        isOpen={isAsking}
        onOpenChange={setIsAsking}
        title={<Ask verb="Remove" name={app.label} />}
        description="Projects can no longer install the app from the library. Phones that have the app keep it, and installs in progress continue."
        action="Remove app"
        isBusy={change.isPending}
        onConfirm={() =>
          change.mutate(() => call('DELETE /operator/library/apps/:package', { package: app.package }), {
            onSuccess: () => setIsAsking(false),
          })
        }
      />
    </li>
  )
}
