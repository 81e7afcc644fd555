import { z } from 'zod';

/**
 * The bootstrap file of gRPC's xDS clients (gRFC A27 and its successors), as far as xdscope reads it. Unknown fields
 * are ignored everywhere, as gRPC does. `authorities` and the rest are kept as they are for the complete client.
 */
const channelCreds = z.object({ type: z.string(), config: z.unknown().optional() });

const xdsServer = z.object({
  server_uri: z.string().min(1),
  channel_creds: z.array(channelCreds).min(1),
  server_features: z.array(z.string()).default([]),
});

const locality = z.object({
  region: z.string().default(''),
  zone: z.string().default(''),
  sub_zone: z.string().default(''),
});

const node = z.object({
  id: z.string().default(''),
  cluster: z.string().default(''),
  metadata: z.record(z.string(), z.unknown()).default({}),
  locality: locality.nullish(),
});

export const bootstrapSchema = z.object({
  xds_servers: z.array(xdsServer).min(1),
  node: node.nullish(),
  authorities: z.record(z.string(), z.unknown()).default({}),
});

export type BootstrapFile = z.infer<typeof bootstrapSchema>;
