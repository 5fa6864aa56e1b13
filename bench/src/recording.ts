// bench: three hours of recording at 20 times the speed: memory of the agent's way, and the file
/**
 * `./scripts/bench recording [seconds] [speed] [bits a second]`: records a moving screen, with
 * host-agent/src/testing/soak/main.ts. Linux only.
 */
import { runSoak } from '@phonerack/e2e/system/soak.js'

process.stdout.write(JSON.stringify(await runSoak(process.argv.slice(2)), null, 2) + '\n')
