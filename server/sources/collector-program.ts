import { collectChannelz } from '../channelz/poll';
import { type SetupsOf, serveCollector } from '../collector/serve-collector';
import { collectCsds } from '../csds/poll';
import { collectEnvoyAdmin } from '../envoy-admin/collect-envoy-admin';
import { collectInterop } from '../interop/poll';
import { collectIstiod } from '../istiod/poll';
import { collectLrs } from '../lrs/collect-lrs';
import { collectProbe } from '../xds/probe/collect-probe';

/** The kinds of sources that the program `collector` runs. */
const kinds = {
  csds: collectCsds,
  istiod: collectIstiod,
  channelz: collectChannelz,
  'envoy-admin': collectEnvoyAdmin,
  interop: collectInterop,
  ads: collectProbe,
  lrs: collectLrs,
};

export type CollectorSetups = SetupsOf<typeof kinds>;

serveCollector<CollectorSetups>(kinds);
