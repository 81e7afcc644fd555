import { messageOf } from '@/lib/format/message-of';
import type { ResourceKey } from '@/lib/observation/resource-state';
import type {
  LabAssignmentChange,
  LabBackendChange,
  LabResource,
  LabStatus,
  NewLabResource,
} from '@/lib/views/lab/schema';
import { ApiError, badRequest, notFound } from '../../api-error';
import type { Lab } from '../../lab/lab';
import type { LabSwitch } from '../../lab/lab-switch';

const off: LabStatus = {
  running: false,
  backgroundFaults: 'off',
  processes: [],
  assignments: [],
  faults: [],
};

/** Controls the lab. ApiError 409 if the lab does not run. */
export class LabApi {
  readonly #labs: Pick<LabSwitch, 'lab' | 'start'>;

  constructor(labs: Pick<LabSwitch, 'lab' | 'start'>) {
    this.#labs = labs;
  }

  status(): LabStatus {
    return this.#labs.lab?.status() ?? off;
  }

  async start(): Promise<LabStatus> {
    return (await this.#labs.start()).status();
  }

  listResources(): LabResource[] {
    return this.#running().listResources();
  }

  setResource(added: NewLabResource): LabResource[] {
    const lab = this.#running();
    if ((added.resource === undefined) === (added.valueBase64 === undefined)) {
      throw badRequest('resource: expected either resource (proto3 JSON) or valueBase64 (raw bytes)');
    }
    try {
      lab.setResource(added);
    } catch (cause) {
      throw badRequest(messageOf(cause));
    }
    return lab.listResources();
  }

  removeResource({ typeUrl, name }: ResourceKey): LabResource[] {
    const lab = this.#running();
    const held = lab.listResources().some((r) => r.typeUrl === typeUrl && r.name === name);
    if (!held) throw notFound('Resource', `the lab has no ${typeUrl} named ${JSON.stringify(name)}`);
    lab.removeResource(typeUrl, name);
    return lab.listResources();
  }

  /** `type` is a type URL; undefined renews all types. */
  renewVersion(type: string | undefined): LabStatus {
    const lab = this.#running();
    try {
      lab.renewVersion(type);
    } catch (cause) {
      throw badRequest(messageOf(cause), 'type');
    }
    return lab.status();
  }

  setBackgroundFaults(backgroundFaults: LabStatus['backgroundFaults']): LabStatus {
    const lab = this.#running();
    lab.setBackgroundFaults(backgroundFaults);
    return lab.status();
  }

  async setManagementServer(running: boolean): Promise<LabStatus> {
    const lab = this.#running();
    try {
      await lab.setManagementServer(running);
    } catch (error) {
      throw new ApiError(409, 'Management server not started', messageOf(error));
    }
    return lab.status();
  }

  setReporter(running: boolean): LabStatus {
    const lab = this.#running();
    lab.setReporter(running);
    return lab.status();
  }

  async setBackend(name: string, change: LabBackendChange): Promise<LabStatus> {
    const lab = this.#running();
    if (!lab.status().processes.some((p) => p.kind === 'backend' && p.name === name)) {
      throw notFound('Backend', `the lab has no backend named ${JSON.stringify(name)}`);
    }
    assertSome(change, 'running or failPercent');
    await lab.changeBackend(name, change);
    return lab.status();
  }

  async setAssignment(name: string, change: LabAssignmentChange): Promise<LabStatus> {
    const lab = this.#running();
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
      throw badRequest(messageOf(cause));
    }
    return lab.status();
  }

  setFault(name: string, active: boolean): LabStatus {
    const lab = this.#running();
    if (!lab.status().faults.some((fault) => fault.name === name)) {
      throw notFound('Fault', `the lab has no fault named ${JSON.stringify(name)}`);
    }
    if (active) lab.pushFault(name);
    else lab.revertFault(name);
    return lab.status();
  }

  #running(): Lab {
    const { lab } = this.#labs;
    if (lab === undefined) {
      throw new ApiError(409, 'Lab is off', 'the embedded lab does not run: POST lab/start starts it');
    }
    return lab;
  }
}

function assertSome(change: object, expected: string): void {
  if (Object.keys(change).length === 0) throw badRequest(`body: expected ${expected}, got nothing`);
}
