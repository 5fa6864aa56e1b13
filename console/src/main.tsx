/** Starts the console. */
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toaster } from 'sonner'
// This import comes first, because it removes the answer of an identity provider from the address.
import './api/arrival'
import { RequestFailed, setHooks } from './api/client'
import { loadSession, sessionQuery } from './api/session'
import { createAppRouter } from './router'
import { useTheme } from './shell/theme'
import './style.css'

// Radix injects styles, which the content policy allows only with the page's nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce
if (nonce) setNonce(nonce)

const queries = new QueryClient({
  queryCache: new QueryCache(),
  defaultOptions: {
    queries: {
      // A refusal is final. A request that did not reach the server is retried.
      retry: (failures, error) =>
        failures < 3 && error instanceof RequestFailed && (error.status === 0 || error.status >= 502),
      staleTime: 5000,
    },
  },
})
const router = createAppRouter(queries)

/** The page is on its way to the sign-in. */
let isLeaving = false

setHooks({
  async renewToken() {
    queries.setQueryData(sessionQuery.queryKey, await loadSession())
  },
  signedOut() {
    // Several requests of a page are refused at the same time. Only the first refusal may navigate, because later
    // refusals would return to the sign-in page.
    if (isLeaving) return
    isLeaving = true
    const leave = async (): Promise<void> => {
      queries.setQueryData(sessionQuery.queryKey, await loadSession())
      const { pathname, href } = router.state.location
      if (pathname !== '/sign-in') await router.navigate({ to: '/sign-in', search: { next: href } })
    }
    void leave().finally(() => (isLeaving = false))
  },
})

// A release replaced the files of this page.
window.addEventListener('vite:preloadError', () => window.location.reload())

function App() {
  const theme = useTheme()
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      <Toaster
        theme={theme}
        position="bottom-right"
        closeButton
        // A long name in a toast must not cover the page.
        toastOptions={{ classNames: { title: 'line-clamp-5' } }}
      />
    </QueryClientProvider>
  )
}

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
