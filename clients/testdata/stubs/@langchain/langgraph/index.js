export class Command { constructor(o) { Object.assign(this, o); } }
