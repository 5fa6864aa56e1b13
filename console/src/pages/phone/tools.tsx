/** The tools of a phone, in tabs. Tabs that read from the phone need it to run. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useState } from 'react'
import { Tabs } from '../../ui/tabs'
import { Apps } from './apps'
import { Clipboard } from './clipboard'
import { DropArea, Transfers } from './drop'
import { Files, storageRoot } from './files'
import { LocationView } from './location'
import { Log } from './log'
import { Recordings } from './recordings'
import { ScreenView } from './screen'
import { Timeline } from './timeline'
import { useTransfers } from './transfers'

/** The folder for files that are dropped before the user opened a folder. */
const downloads = `${storageRoot}/Download`

interface Props {
  project: string
  phone: string
  isRunning: boolean
  mayChange: boolean
  /** The content of the last tab. */
  details: ReactNode
}

export function Tools({ project, phone, isRunning, mayChange, details }: Props) {
  const { tab } = useSearch({ from: '/inside/projects/$project/phones/$phone' })
  const navigate = useNavigate()
  const [folder, setFolder] = useState(downloads)
  const { transfers, add, close } = useTransfers(project, phone)
  const send = useCallback((files: readonly File[]) => add(files, folder), [add, folder])
  const onFiles = isRunning && mayChange ? send : null
  const of = { project, phone }
  const inside: readonly (readonly [string, ReactNode])[] = isRunning
    ? [
        ['Screen', <ScreenView key="screen" {...of} />],
        ['Files', <Files key="files" {...of} folder={folder} onFiles={onFiles} onFolder={setFolder} />],
        ...(mayChange ? [['Clipboard', <Clipboard key="clipboard" {...of} />] as const] : []),
        ['Log', <Log key="log" {...of} />],
        ['Location', <LocationView key="location" {...of} mayChange={mayChange} />],
      ]
    : []
  return (
    <>
      {/* The drop area is outside of the container, because inside it would cover the container instead of the window. */}
      <DropArea onFiles={onFiles} />
      <div className="@container grid min-w-0 grid-cols-1 gap-3">
        <Transfers transfers={transfers} onClose={close} />
        <Tabs
          label="About the phone"
          kept={{
            shown: tab,
            onShow: (name) => void navigate({ to: '.', search: { tab: name }, replace: true }),
          }}
          tabs={[
            ['Steps', <Timeline key="steps" {...of} isRunning={isRunning} />],
            ['Apps', <Apps key="apps" {...of} onFiles={onFiles} />],
            [
              'Recordings',
              <Recordings key="recordings" {...of} isRunning={isRunning} mayChange={mayChange} />,
            ],
            ...inside,
            ['Details', details],
          ]}
        />
      </div>
    </>
  )
}
