/**
 * GET interop/fleet: the releases of gRPC clients in this fleet, and which of the features that the interop tests cover their
 * config uses.
 */

import * as z from 'zod';
import { clients } from '../../xds/profile';

const count = z.number().int();

/** The resources of one type that use a feature. */
const featureUse = z.object({
  feature: z.string(),
  /** The cases whose resources use it as these do. */
  cases: z.array(z.string()),
  /** What a client does without the feature, as in "does not eject outliers". */
  lack: z.string(),
  /** The clients of the release with such a resource. */
  clients: count,
  /** Different resources by type and name. */
  resources: count,
  service: z.string(),
  /** The names of the first of them, sorted. */
  names: z.array(z.string()),
});

export const interopFleet = z.object({
  /** Live gRPC clients, without probes of xdscope. */
  clients: count,
  releases: z.array(
    z.object({
      client: z.enum(clients),
      /** As in "1.85". */
      release: z.string(),
      /** The user agent of the first of them, by which they are found on the page Clients. */
      userAgent: z.string(),
      clients: count,
      uses: z.array(featureUse),
    }),
  ),
  /** Payloads that were not read, because there are too many or they are not stored. */
  notRead: count,
});
export type InteropFleet = z.infer<typeof interopFleet>;
export type FleetRelease = InteropFleet['releases'][number];
