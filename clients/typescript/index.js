export { actOf, canonical, digest, parse } from "./canon.js";
export { Client, session, VERSION } from "./client.js";
export { CountersignError, Denied, Problem, Unavailable, Unproven } from "./errors.js";
export { defaultClient, gate } from "./gate.js";
export { verifyGrant } from "./grants.js";
