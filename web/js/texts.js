// What the scripts say. The page brings the texts, in the language of its reader, as attributes of one
// element: data-text-NAME, or data-text-NAME-CATEGORY where the first number decides on the form.
(() => {
  const texts = document.getElementById("texts"), language = document.documentElement.lang || "en";
  // Made when they are first needed: they cost a phone more than all else that it does to get ready.
  let rules, number;
  const form = (count) => (rules ??= new Intl.PluralRules(language)).select(count);
  const text = (name) => texts?.getAttribute(`data-text-${name}`);
  const small = (arg) => Number.isInteger(arg) && Math.abs(arg) < 1000; // which nothing separates
  const put = (arg) => (typeof arg === "number" && !small(arg) ? (number ??= new Intl.NumberFormat(language)).format(arg) : arg);

  // %s and %d stand for the arguments in their order, %[2]s for the second one, %% for a percent sign.
  globalThis.say = (name, ...args) => {
    const count = args.find((arg) => typeof arg === "number");
    const found = text(name) ?? (count === undefined ? null : text(`${name}-${form(count)}`)) ?? text(`${name}-other`) ?? "";
    if (args.length === 0) return found;
    let next = 0;
    return found.replace(/%(?:\[(\d)\])?([sd%])/g, (_, place, verb) => (verb === "%" ? "%" : put(args[place ? place - 1 : next++])));
  };
})();
