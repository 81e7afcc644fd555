import { workerData } from 'node:worker_threads';
import { setUserTypes } from '../codec/root';
import { systemClock } from '../observe';
import { serveSources } from '../source-threads/serve-sources';
import type { SourceThreadData } from '../source-threads/source-thread';
import { AdminReader } from './admin-reader';
import { EnvoyAdminPoller } from './envoy-admin-poller';
import type { EnvoyAdminSetup } from './envoy-admin-thread';

const { redactionKey }: SourceThreadData = workerData;
/** Set by the first source. All sources share one outbox. */
let sent = async (): Promise<void> => undefined;
// The answers are read in another thread, because a dump of 200 MB takes seconds to read, while answers of other
// Envoys arrive here.
const answers = new AdminReader({ redactionKey, beforeReading: () => sent() });

serveSources<EnvoyAdminSetup>({
  open: (sourceId, setup, { observe, onStatus, sent: whenSent }) => {
    sent = whenSent;
    return new EnvoyAdminPoller({
      ...{ sourceId, answers, observe, onStatus, ...setup },
      clock: systemClock,
      random: Math.random,
    });
  },
  setUserTypes(types) {
    setUserTypes(types);
    answers.renew();
  },
});
