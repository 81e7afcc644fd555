import { z } from 'zod';
import {
  type LabResource,
  type LabStatus,
  labAssignmentChange,
  labBackendChange,
  labReporterChange,
} from '@/lib/api/lab';
import type { ResourceKey } from '@/lib/observation/observation';
import type { Lab } from '../lab/lab';
import { ApiError, badRequest, notFound } from './api-error';
import { typeParameter } from './history-query';
import { parseInput } from './parse-input';

const weatherInput = z.object({ weather: z.enum(['on', 'off']) });
const mischiefInput = z.object({ active: z.boolean() });
const renewInput = z.strictObject({ type: typeParameter.optional() });
const resourceInput = z.object({
  typeUrl: z.string().min(1),
  name: z.string().optional(),
  resource: z.unknown().optional(),
  valueBase64: z.base64().optional(),
});

/** The lab's control surface. Every call says so when the lab does not run. */
export class LabApi {
  constructor(private readonly lab: Lab | undefined) {}

  status(): LabStatus | undefined {
    return this.lab?.status();
  }

  listResources(): LabResource[] {
    return this.running().listResources();
  }

  setResource(input: unknown): LabResource[] {
    const lab = this.running();
    const said = parseInput(resourceInput, input);
    if ((said.resource === undefined) === (said.valueBase64 === undefined)) {
      throw badRequest('resource: expected either resource (proto3 JSON) or valueBase64 (raw bytes)');
    }
    try {
      lab.setResource(said);
    } catch (cause) {
      throw badRequest(cause instanceof Error ? cause.message : String(cause));
    }
    return lab.listResources();
  }

  removeResource({ typeUrl, name }: ResourceKey): LabResource[] {
    const lab = this.running();
    const held = lab.listResources().some((r) => r.typeUrl === typeUrl && r.name === name);
    if (!held) throw notFound('Resource', `the lab has no ${typeUrl} named ${JSON.stringify(name)}`);
    lab.removeResource(typeUrl, name);
    return lab.listResources();
  }

  renewVersion(input: unknown): LabStatus {
    const { type } = parseInput(renewInput, input);
    const lab = this.running();
    try {
      lab.renewVersion(type);
    } catch (cause) {
      throw badRequest(cause instanceof Error ? cause.message : String(cause), 'type');
    }
    return lab.status();
  }

  setWeather(input: unknown): LabStatus {
    const { weather } = parseInput(weatherInput, input);
    const lab = this.running();
    lab.setWeather(weather);
    return lab.status();
  }

  setReporter(input: unknown): LabStatus {
    const { running } = parseInput(labReporterChange, input);
    const lab = this.running();
    lab.setReporter(running);
    return lab.status();
  }

  async setBackend(name: string, input: unknown): Promise<LabStatus> {
    const change = parseInput(labBackendChange, input);
    const lab = this.running();
    if (!lab.status().processes.some((p) => p.kind === 'backend' && p.name === name)) {
      throw notFound('Backend', `the lab has no backend named ${JSON.stringify(name)}`);
    }
    assertSome(change, 'running or failPercent');
    await lab.changeBackend(name, change);
    return lab.status();
  }

  async setAssignment(name: string, input: unknown): Promise<LabStatus> {
    const change = parseInput(labAssignmentChange, input);
    const lab = this.running();
    if (!lab.status().assignments.some((each) => each.name === name)) {
      throw notFound('Assignment', `the lab has no ClusterLoadAssignment named ${JSON.stringify(name)}`);
    }
    const { priority, zone, ...wanted } = change;
    assertSome(wanted, 'running, failPercent, weight or dropPercent');
    if (wanted.dropPercent !== undefined && (priority ?? zone) !== undefined) {
      throw badRequest(
        'dropPercent: expected neither priority nor zone beside it: drops are of the whole assignment',
      );
    }
    try {
      await lab.changeAssignment(name, change);
    } catch (cause) {
      throw badRequest(cause instanceof Error ? cause.message : String(cause));
    }
    return lab.status();
  }

  setMischief(name: string, input: unknown): LabStatus {
    const { active } = parseInput(mischiefInput, input);
    const lab = this.running();
    if (!lab.status().mischief.some((m) => m.name === name)) {
      throw notFound('Mischief', `the lab has no bad resource named ${JSON.stringify(name)}`);
    }
    if (active) lab.pushMischief(name);
    else lab.mendMischief(name);
    return lab.status();
  }

  private running(): Lab {
    if (this.lab === undefined) {
      throw new ApiError(
        409,
        'Lab is off',
        'the embedded lab does not run: start with --lab, or name no source',
      );
    }
    return this.lab;
  }
}

function assertSome(change: object, expected: string): void {
  if (Object.keys(change).length === 0) throw badRequest(`body: expected ${expected}, got nothing`);
}
