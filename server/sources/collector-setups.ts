import type { ChannelzSetup } from '../channelz/poll';
import type { Collector } from '../collector/collector';
import type { CsdsSetup } from '../csds/poll';
import type { EnvoyAdminSetup } from '../envoy-admin/collect-envoy-admin';
import type { InteropSetup } from '../interop/poll';
import type { IstiodSetup } from '../istiod/poll';
import type { LrsSetup } from '../lrs/collect-lrs';
import type { ProbeSetup } from '../xds/probe/collect-probe';

/** The kinds of sources that the program `collector` runs. */
export interface CollectorSetups {
  readonly csds: CsdsSetup;
  readonly istiod: IstiodSetup;
  readonly channelz: ChannelzSetup;
  readonly 'envoy-admin': EnvoyAdminSetup;
  readonly interop: InteropSetup;
  readonly ads: ProbeSetup;
  readonly lrs: LrsSetup;
}

export type SourceCollector = Collector<CollectorSetups>;
