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

/** Empty is not "not said": an empty host would be every address, an empty data dir the working directory. */
const text = z.string().trim().min(1, 'expected some text');

/** As a number in a file, or as its digits from a flag or variable. Number() alone makes 0 of an empty text. */
function number(expected: string, isRight: (value: number) => boolean) {
  return z.unknown().transform((said, context) => {
    const isDigits = typeof said === 'string' && /^\d+(?:\.\d+)?$/.test(said.trim());
    const value = typeof said === 'number' ? said : isDigits ? Number(said) : Number.NaN;
    if (isRight(value)) return value;
    context.addIssue({ code: 'custom', message: `expected ${expected}` });
    return z.NEVER;
  });
}

const positive = number('a number above 0', (value) => value > 0 && value < Number.POSITIVE_INFINITY);

const target = z.union([z.string(), z.strictObject({ target: z.string(), label: z.string().optional() })], {
  error: 'expected host:port, or a mapping with target and label',
});

/** The config file, and the flags and environment in the same words. All optional: what is not said has a default. */
export const configFile = z.strictObject({
  csds: z.array(target).optional(),
  csdsInterval: z.union([z.number().positive(), z.string()]).optional(),
  ads: z
    .array(
      z.union(
        [
          z.string(),
          z.strictObject({
            target: z.string(),
            label: z.string().optional(),
            nodeId: z.string().optional(),
            listeners: z.array(z.string()).optional(),
          }),
        ],
        { error: 'expected host:port, or a mapping with target, label, nodeId and listeners' },
      ),
    )
    .optional(),
  bootstrap: text.optional(),
  lrsListen: z.string().optional(),
  host: text.optional(),
  port: number(
    'a whole number of 0 to 65535',
    (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
  ).optional(),
  allowedHosts: z.array(text).optional(),
  dataDir: text.optional(),
  lab: z.boolean().optional(),
  weather: z.boolean().optional(),
  retentionDays: positive.optional(),
  retentionMegabytes: positive.optional(),
});

export type ConfigFile = z.infer<typeof configFile>;

/** A start that cannot be made as asked. One line for a person: what was expected, what came. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
