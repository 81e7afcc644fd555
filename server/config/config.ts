import { z } from 'zod';
import { probeChoices } from '@/lib/api/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { ProbeNode } from '../bootstrap/probe-node';
import { parseHostPattern } from '../dial/host-pattern';
import type { ClientLimits } from '../live/client-limits';
import { type LogFormat, type LogLevel, logFormats, logLevels } from '../logger';
import type { AllCredentials } from './named-credentials';
import type { SourceConfig } from './source-config';
import {
  adsEntry,
  credentialsEntry,
  csdsEntry,
  csdsFileEntry,
  envoyAdminEntry,
  istiodEntry,
  tapEntry,
} from './source-entries';

/** Everything that a start can be reported, checked. Made by read-config.ts. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Host names (no port) under which browsers may reach this server, besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** CIDRs and host names that API callers may have dialled; empty: all but what the dial policy rejects. */
  readonly allowTargets: readonly string[];
  readonly credentials: AllCredentials;
  readonly dataDir: string;
  /** The data dir is of this run alone, and goes with it. */
  readonly isTemporary: boolean;
  readonly lab: boolean;
  readonly weather: boolean;
  readonly csds: readonly SourceConfig[];
  /** Where more CSDS targets are found, again and again. */
  readonly csdsLists: readonly SourceConfig[];
  readonly csdsIntervalMs: number;
  readonly envoyAdmin: readonly SourceConfig[];
  /** Between two config dumps of an Envoy; what else it is asked for follows in proportion. */
  readonly envoyAdminIntervalMs: number;
  readonly istiod: readonly SourceConfig[];
  /** Between two questions for the sync status of an istiod. */
  readonly istiodIntervalMs: number;
  readonly ads: readonly SourceConfig[];
  readonly taps: readonly SourceConfig[];
  /** Where our own LRS server listens (port 0: any free one); null where only the lab's receives reports. */
  readonly lrsListen: { readonly host: string; readonly port: number; readonly text: string } | null;
  /** What its clients are asked to report. */
  readonly lrsRequest: {
    readonly intervalMs: number;
    /** null: all. */
    readonly clusters: readonly string[] | null;
    readonly endpoints: boolean;
  };
  /** Absolute paths of recordings to open. */
  readonly files: readonly string[];
  /** A recording to serve; null: none. */
  readonly replay: {
    readonly file: string;
    readonly host: string;
    readonly port: number;
    /** Node id; null: of the first client that has anything. */
    readonly nodeId: string | null;
    /** What the client held then; null: its streams. */
    readonly at: EpochMs | null;
  } | null;
  /** Absolute paths of FileDescriptorSets. */
  readonly descriptorSets: readonly string[];
  /** A damaged database is renamed at the start, and begun anew. */
  readonly setAsideDamaged: boolean;
  /** How many clients are kept in the live state. */
  readonly clientLimits: ClientLimits;
  readonly retention: { readonly maxAgeMs: number; readonly maxBytes: number; readonly maxCount: number };
  /** Next in development mode. */
  readonly dev: boolean;
  readonly log: { readonly level: LogLevel; readonly format: LogFormat };
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

const positiveCount = number('a whole number above 0', (value) => Number.isSafeInteger(value) && value > 0);
const positive = number('a number above 0', (value) => value > 0 && value < Number.POSITIVE_INFINITY);

/** The text as it is; it is parsed again where it is used. */
const hostPattern = text.refine(
  (said) => parseHostPattern(said) !== undefined,
  'expected a CIDR or a host name',
);

/** The config file, and the flags and environment in the same words. All optional: what is not said has a default. */
export const configFile = z.strictObject({
  csds: z.array(csdsEntry).optional(),
  /** One name, many addresses: each of them is a target, resolved again and again. */
  csdsDns: z.array(csdsEntry).optional(),
  /** Files of targets, read again when they change. */
  csdsFiles: z.array(csdsFileEntry).optional(),
  csdsInterval: z.union([z.number().positive(), z.string()]).optional(),
  /** Admin interfaces of Envoys. */
  envoyAdmin: z.array(envoyAdminEntry).optional(),
  envoyAdminInterval: z.union([z.number().positive(), z.string()]).optional(),
  /** Their sync status and configs, by their debug types. */
  istiod: z.array(istiodEntry).optional(),
  istiodInterval: z.union([z.number().positive(), z.string()]).optional(),
  ads: z.array(adsEntry).optional(),
  taps: z.array(tapEntry).optional(),
  bootstrap: text.optional(),
  /** Names and what they stand for. */
  credentials: z
    .record(
      z.string().regex(/^\w[\w.-]{0,99}$/, 'expected a name of letters, digits, "_", "-" and "."'),
      credentialsEntry,
    )
    .optional(),
  /** For all ADS sources that do not say otherwise themselves. */
  adsTransport: probeChoices.shape.transport,
  adsCrossCheck: probeChoices.shape.crossCheck,
  adsMode: probeChoices.shape.mode,
  adsProfile: probeChoices.shape.profile,
  errorModel: probeChoices.shape.errorModel,
  maxMessageMegabytes: number(
    'a number of MiB, above 0 and at most 2047',
    (value) => value > 0 && value <= 2_047,
  ).optional(),
  /** As clients have them: `xds:///NAME`, `xds://AUTHORITY/NAME` or NAME. */
  targets: z.array(text).optional(),
  /** What gRPC servers of the bootstraps listen on, as in "0.0.0.0:8080" (gRFC A36). */
  serverListeners: z.array(text).optional(),
  lrsListen: z.string().optional(),
  lrsInterval: z.union([z.number().positive(), z.string()]).optional(),
  /** By default all. */
  lrsClusters: z.array(text).optional(),
  /** Load of each endpoint, from clients that tell it (Envoy). */
  lrsEndpoints: z.boolean().optional(),
  /** FILE, or FILE@HOST:PORT. */
  replay: text.optional(),
  /** A node id. */
  replayClient: text.optional(),
  /** ISO 8601, as in 2026-11-21T11:04:07Z. */
  replayAt: text.optional(),
  /** Files with types that xdscope does not ship. */
  descriptorSets: z.array(text).optional(),
  host: text.optional(),
  /** Serve the pages on an address that other machines reach, without sign-in. */
  insecureNoAuth: z.boolean().optional(),
  port: number(
    'a whole number of 0 to 65535',
    (value) => Number.isInteger(value) && value >= 0 && value <= 65_535,
  ).optional(),
  allowedHosts: z.array(text).optional(),
  logLevel: z.enum(logLevels).optional(),
  logFormat: z.enum(logFormats).optional(),
  /** As in "10.0.0.0/8", "istiod.istio-system.svc" or "*.svc.cluster.local". */
  allowTargets: z.array(hostPattern).optional(),
  dataDir: text.optional(),
  setAsideDamaged: z.boolean().optional(),
  lab: z.boolean().optional(),
  weather: z.boolean().optional(),
  maxClients: positiveCount.optional(),
  maxClientsPerSource: positiveCount.optional(),
  retentionDays: positive.optional(),
  retentionMegabytes: positive.optional(),
  retentionCount: positive.optional(),
});

export type ConfigFile = z.infer<typeof configFile>;
