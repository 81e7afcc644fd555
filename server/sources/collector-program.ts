import { collectChannelz } from '../collect/channelz/poll';
import { type SetupsOf, serveCollector } from '../collect/collector/serve-collector';
import { collectCsds } from '../collect/csds/poll';
import { collectEnvoyAdmin } from '../collect/envoy-admin/collect-envoy-admin';
import { collectInterop } from '../collect/interop/poll';
import { collectIstiod } from '../collect/istiod/poll';
import { collectLrs } from '../collect/lrs/collect-lrs';
import { collectProbe } from '../collect/xds/probe/collect-probe';

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
