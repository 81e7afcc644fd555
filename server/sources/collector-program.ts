import { collectChannelz } from '../channelz/poll';
import { serveCollector } from '../collector/serve-collector';
import { collectCsds } from '../csds/poll';
import { collectEnvoyAdmin } from '../envoy-admin/collect-envoy-admin';
import { collectInterop } from '../interop/poll';
import { collectIstiod } from '../istiod/poll';
import { collectLrs } from '../lrs/collect-lrs';
import { collectProbe } from '../xds/probe/collect-probe';
import type { CollectorSetups } from './collector-setups';

serveCollector<CollectorSetups>({
  csds: collectCsds,
  istiod: collectIstiod,
  channelz: collectChannelz,
  'envoy-admin': collectEnvoyAdmin,
  interop: collectInterop,
  ads: collectProbe,
  lrs: collectLrs,
});
