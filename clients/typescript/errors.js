// What can go wrong. Every one of them means: do not run the action. index.d.ts says what each is.

export class CountersignError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class Denied extends CountersignError {
  constructor(status, reason, approval = null, options) {
    super(reason ? `${status}: ${reason}` : status, options);
    Object.assign(this, { status, reason, approval });
  }
}

export class Problem extends CountersignError {
  constructor(code, status, detail, document = {}) {
    super(detail ? `${code}: ${detail}` : code);
    Object.assign(this, { code, status, detail, instance: document.instance ?? null, errors: document.errors ?? [] });
  }
}

export class Unavailable extends CountersignError {}

export class Unproven extends CountersignError {
  constructor(check, message) {
    super(message);
    this.check = check;
  }
}
