import { z } from 'zod';
import type { Locality } from '@/lib/observation/observation';

/** One CSDS target or management server, as flags, environment or file name it. */
export interface TargetConfig {
  readonly target: string;
  readonly label: string;
  readonly origin: 'flag' | 'environment' | 'config';
}

/** Who the probe says that it is (envoy.config.core.v3.Node); metadata is told to the server as it is. */
export interface ProbeNode {
  readonly id: string;
  readonly cluster: string;
  readonly locality: Locality | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface AdsConfig extends TargetConfig {
  readonly node: ProbeNode;
  /** Listener names to subscribe to; none means wildcard LDS and CDS. */
  readonly listeners: readonly string[];
}

/** Everything that a start can be told, checked. Made by read-config.ts. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Host names (no port) under which browsers may reach this server, besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  readonly dataDir: string;
  readonly lab: boolean;
  readonly weather: boolean;
  readonly csds: readonly TargetConfig[];
  readonly csdsIntervalMs: number;
  readonly ads: readonly AdsConfig[];
  /** Where our own LRS server listens (port 0: any free one); null where only the lab's receives reports. */
  readonly lrsListen: { readonly host: string; readonly port: number; readonly text: string } | null;
  readonly retention: { readonly maxAgeMs: number; readonly maxBytes: number };
  /** Next in development mode. */
  readonly dev: boolean;
}

/** A node id for each server: the same one twice would be one client with two opinions. */
export function defaultProbeNode(target: string): ProbeNode {
  return probeNode(`xdscope-probe@${target}`);
}

export function probeNode(id: string): ProbeNode {
  return { id, cluster: '', locality: null, metadata: {} };
}

const target = z.union([z.string(), z.strictObject({ target: z.string(), label: z.string().optional() })]);

/** The config file, and the flags and environment in the same words. All optional: what is not said has a default. */
export const configFile = z.strictObject({
  csds: z.array(target).optional(),
  csdsInterval: z.union([z.number().positive(), z.string()]).optional(),
  ads: z
    .array(
      z.union([
        z.string(),
        z.strictObject({
          target: z.string(),
          label: z.string().optional(),
          nodeId: z.string().optional(),
          listeners: z.array(z.string()).optional(),
        }),
      ]),
    )
    .optional(),
  bootstrap: z.string().optional(),
  lrsListen: z.string().optional(),
  host: z.string().optional(),
  port: z.coerce.number().int().min(0).max(65535).optional(),
  allowedHosts: z.array(z.string()).optional(),
  dataDir: z.string().optional(),
  lab: z.boolean().optional(),
  weather: z.boolean().optional(),
  retentionDays: z.coerce.number().positive().optional(),
  retentionMegabytes: z.coerce.number().positive().optional(),
});

export type ConfigFile = z.infer<typeof configFile>;

/** A start that cannot be made as asked. One line for a person: what was expected, what came. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
