const longMs = 120_000;

/** A reporter of Vitest that prints which tests take long while they do, so that the output of a run that is ended shows them. */
export default class ReportLongTests {
  #running = new Map();
  #timer;

  onTestRunStart() {
    this.#timer = setInterval(() => this.#print(), longMs);
    this.#timer.unref();
  }

  onTestRunEnd() {
    clearInterval(this.#timer);
  }

  onTestCaseReady(test) {
    this.#running.set(test.id, { test, startedAt: Date.now() });
  }

  onTestCaseResult(test) {
    this.#running.delete(test.id);
    if (test.result().state === 'failed') process.stdout.write(`failed: ${describe(test)}\n`);
  }

  #print() {
    for (const { test, startedAt } of this.#running.values()) {
      const ms = Date.now() - startedAt;
      if (ms > longMs) process.stdout.write(`running for ${Math.round(ms / 1_000)} s: ${describe(test)}\n`);
    }
  }
}

function describe({ module, fullName }) {
  return `${module.relativeModuleId}: ${fullName}`;
}
