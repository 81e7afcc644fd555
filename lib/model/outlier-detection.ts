import { clientNames, type GrpcClient } from '../xds/profile';
import type { FieldReader } from './field-reader';

const successRateFields = [
  ...(['enforcingSuccessRate', 'successRateMinimumHosts', 'successRateStdevFactor'] as const),
] as const;
type SuccessRateField = (typeof successRateFields)[number];

/** Cluster.outlier_detection with gRPC's defaults (gRFC A50). Durations are in proto3 JSON form: "30s". */
export interface OutlierDetection {
  readonly interval: string;
  readonly baseEjectionTime: string;
  readonly maxEjectionTime: string;
  readonly maxEjectionPercent: number;
  /** Envoy ejects an endpoint after consecutive failed connections; gRPC does not read these fields. */
  readonly ejectsOnFailedConnections: boolean;
  /** Envoy ejects one endpoint even if it is more than maxEjectionPercent. */
  readonly alwaysEjectsOne: boolean;
  /** null if disabled by an enforcement of 0. Some clients need fields to be set: see missingFields(). */
  readonly successRate: {
    /** The factor in thousandths. */
    readonly stdevFactor: number;
    readonly enforcementPercentage: number;
    readonly minimumHosts: number;
    readonly requestVolume: number;
    /** The fields that are not set, and have their default. */
    readonly unset: readonly SuccessRateField[];
  } | null;
  /** null if disabled by an enforcement of 0 or an absent one. */
  readonly failurePercentage: {
    readonly threshold: number;
    readonly enforcementPercentage: number;
    readonly minimumHosts: number;
    readonly requestVolume: number;
  } | null;
}

export function readOutlierDetection(detection: FieldReader | undefined): OutlierDetection | null {
  if (detection === undefined) return null;
  const number = (name: string, fallback: number): number => detection.number(name) ?? fallback;
  const successRate = number('enforcingSuccessRate', 100);
  const failurePercentage = number('enforcingFailurePercentage', 0);
  return {
    interval: detection.string('interval') || '10s',
    baseEjectionTime: detection.string('baseEjectionTime') || '30s',
    maxEjectionTime: detection.string('maxEjectionTime') || '300s',
    maxEjectionPercent: number('maxEjectionPercent', 10),
    ejectsOnFailedConnections: detection.boolean('splitExternalLocalOriginErrors')
      ? number('enforcingConsecutiveLocalOriginFailure', 100) > 0
      : number('enforcingConsecutive5xx', 100) > 0 || number('enforcingConsecutiveGatewayFailure', 0) > 0,
    alwaysEjectsOne: detection.boolean('alwaysEjectOneHost'),
    successRate:
      successRate === 0
        ? null
        : {
            stdevFactor: number('successRateStdevFactor', 1900),
            enforcementPercentage: successRate,
            minimumHosts: number('successRateMinimumHosts', 5),
            requestVolume: number('successRateRequestVolume', 100),
            unset: successRateFields.filter((name) => detection.number(name) === undefined),
          },
    failurePercentage:
      failurePercentage === 0
        ? null
        : {
            threshold: number('failurePercentageThreshold', 85),
            enforcementPercentage: failurePercentage,
            minimumHosts: number('failurePercentageMinimumHosts', 5),
            requestVolume: number('failurePercentageRequestVolume', 50),
          },
  };
}

/**
 * The fields without which a client ejects no endpoint by its success rate, as measured with C-core 1.85.1 and grpc-js-xds
 * 1.14.1: C-core reads no default of the enforcement, and in Node absent fields replace its defaults.
 */
const neededFields: Readonly<Record<GrpcClient, readonly SuccessRateField[]>> = {
  core: ['enforcingSuccessRate'],
  node: ['enforcingSuccessRate', 'successRateMinimumHosts', 'successRateStdevFactor'],
  go: [],
  java: [],
};

/** The fields, in snake case, that are missing for the client to eject endpoints by their success rate. */
export function missingFields(detection: OutlierDetection, client: GrpcClient): string[] {
  const { unset = [] } = detection.successRate ?? {};
  return neededFields[client]
    .filter((field) => unset.includes(field))
    .map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Why the client ejects no endpoint although the cluster configures it; empty if it ejects some, or none is configured. */
export function whyNoEjection(detection: OutlierDetection | null, client: GrpcClient): string {
  if (detection === null || detection.failurePercentage !== null) return '';
  const missing = missingFields(detection, client);
  if (missing.length === 0) return '';
  return `${clientNames[client]} ejects by success rate only if ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} set`;
}
