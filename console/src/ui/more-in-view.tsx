import { useEffect, useRef } from 'react'
import { Button } from './button'

/** A button that loads more, also by itself when it comes into view. */
export function MoreInView({ isBusy, onShow }: { isBusy: boolean; onShow: () => void }) {
  const here = useRef<HTMLDivElement>(null)
  const show = useRef(onShow)
  show.current = onShow
  useEffect(() => {
    if (!here.current || isBusy) return
    const seen = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) show.current()
    })
    seen.observe(here.current)
    return () => seen.disconnect()
  }, [isBusy])
  return (
    <div ref={here} className="justify-self-center">
      <Button isBusy={isBusy} onClick={onShow}>
        Show more
      </Button>
    </div>
  )
}
