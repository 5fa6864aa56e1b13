/** The live view of a phone, which is the page of a live link in a frame. */
import { useQuery } from '@tanstack/react-query'
import { MonitorOff, RotateCw } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { call, messageOf } from '../../api/client'
import { Button } from '../../ui/button'
import { Empty, Loading } from '../../ui/page'

interface Props {
  project: string
  phone: string
  /** The ID of the phone's session. Live links end with the session. */
  session: string
  name: string
}

/**
 * The live view receives all touches inside its frame. It reports two-finger gestures to this page, which then scrolls.
 */
function useScrollFrom() {
  const frame = useRef<HTMLIFrameElement>(null)
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
      if (source !== frame.current?.contentWindow || typeof data !== 'object' || data === null) return
      const { type, by } = data as Record<string, unknown>
      if (type === 'phonerack.scroll' && typeof by === 'number') window.scrollBy(0, by)
    }
    window.addEventListener('message', onMessage)
    return () => window.removeEventListener('message', onMessage)
  }, [])
  return frame
}

export function LiveView({ project, phone, session, name }: Props) {
  const link = useQuery({
    queryKey: ['live', project, phone, session],
    queryFn: () => call('POST /projects/:project/phones/:phone/live', { project, phone }),
    // Each read creates another link.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const frame = useScrollFrom()
  if (link.isPending) return <Loading />
  if (link.isError)
    return (
      <Empty icon={<MonitorOff className="size-5" />} title={messageOf(link.error)}>
        <Button onClick={() => void link.refetch()}>Try again</Button>
      </Empty>
    )
  return (
    <>
      <iframe
        ref={frame}
        title={`Live view of ${name}`}
        src={link.data.url}
        // The frame keeps its origin, which its WebSocket needs. It cannot open windows or navigate the page.
        sandbox="allow-scripts allow-same-origin allow-forms"
        allow="fullscreen; clipboard-read; clipboard-write"
        className="block h-[min(80vh,54rem)] w-full lg:h-[min(calc(100dvh-13rem),54rem)]"
      />
      <div className="flex items-center justify-between gap-3 border-t border-border px-4 py-2 text-[13px] text-muted">
        <p>{link.data.control ? 'Your touches reach the phone.' : 'You can watch.'}</p>
        <Button size="small" look="ghost" onClick={() => void link.refetch()} isBusy={link.isFetching}>
          <RotateCw aria-hidden /> Reload
        </Button>
      </div>
    </>
  )
}
