import * as z from 'zod';
import { locality } from '../../observation/field-schemas';
import { typeParameter } from '../fields/query-fields';

const labProcess = z.object({
  name: z.string(),
  kind: z.enum(['management-server', 'backend', 'client', 'python-client', 'envoy', 'load-reporter']),
  address: z.string(),
  state: z.enum(['starting', 'running', 'stopped', 'crashed', 'absent']),
  pid: z.number().int().optional(),
  restarts: z.number().int(),
  locality: locality.optional(),
  /** Its purpose, why it is absent, or how it crashed. */
  text: z.string(),
  /** The share of calls that a backend fails; absent for other processes. */
  failPercent: z.number().int().optional(),
});

/** A ClusterLoadAssignment and what can be changed about it. */
const labAssignment = z.object({
  name: z.string(),
  /** The share of calls that clients drop. */
  dropPercent: z.number().int(),
  localities: z.array(
    z.object({
      priority: z.number().int(),
      locality,
      /** load_balancing_weight; 0 disables the locality. */
      weight: z.number().int(),
      /** The names of its backends, which are also processes. */
      backends: z.array(z.string()),
    }),
  ),
});

export const labStatus = z.object({
  running: z.boolean(),
  backgroundFaults: z.enum(['on', 'off']),
  processes: z.array(labProcess),
  assignments: z.array(labAssignment),
  /** Invalid resources that can be injected by name. */
  faults: z.array(z.object({ name: z.string(), text: z.string(), active: z.boolean() })),
});

export const labBackgroundFaultsChange = z.object({ backgroundFaults: z.enum(['on', 'off']) });
export const labFaultChange = z.object({ active: z.boolean() });
/** Absent: the resources of all types. */
export const labRenewal = z.strictObject({ type: typeParameter.optional() });

export const labManagementServerChange = z.strictObject({ running: z.boolean() });

/** The simulated load reporter (kind `load-reporter`), which is stopped at first. */
export const labReporterChange = z.strictObject({ running: z.boolean() });

const labResource = z.object({
  typeUrl: z.string(),
  name: z.string(),
  version: z.string(),
  /** proto3 JSON. */
  resource: z.unknown(),
});
export const labResources = z.object({ items: z.array(labResource) });

/** Either proto3 JSON or raw bytes. */
export const newLabResource = z.object({
  typeUrl: z.string().min(1),
  name: z.string().optional(),
  resource: z.unknown().optional(),
  valueBase64: z.base64().optional(),
});

const percent = z.number().int().min(0).max(100);

/** Absent fields stay unchanged. */
export const labBackendChange = z.strictObject({
  running: z.boolean().optional(),
  failPercent: percent.optional(),
});

/**
 * Changes the localities of an assignment and their backends: all, or those of a priority or a zone. Absent fields stay
 * unchanged.
 */
export const labAssignmentChange = z.strictObject({
  priority: z.number().int().min(0).optional(),
  zone: z.string().optional(),
  running: z.boolean().optional(),
  failPercent: percent.optional(),
  weight: z.number().int().min(0).max(10_000).optional(),
  /** Applies to the whole assignment: neither priority nor zone is allowed with it. */
  dropPercent: percent.optional(),
});

export type LabProcess = z.infer<typeof labProcess>;
export type LabAssignment = z.infer<typeof labAssignment>;
export type LabStatus = z.infer<typeof labStatus>;
export type LabResource = z.infer<typeof labResource>;
export type NewLabResource = z.infer<typeof newLabResource>;
export type LabBackendChange = z.infer<typeof labBackendChange>;
export type LabAssignmentChange = z.infer<typeof labAssignmentChange>;
